import CCurlShim
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Servers that send as fast as they can, in the form that costs the client most: transfers from
/// other servers continue beside them.
///
/// Counts are compared rather than times, because the machine may be busy.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CurlFloodTests {
    private let flooding: ImageServer
    private let other: ImageServer
    private let transport = CurlTransport()
    private let body = Data(repeating: 7, count: 3_000)

    init() throws {
        flooding = try ImageServer()
        other = try ImageServer()
        for flood in Flood.allCases { flooding.route("/\(flood)", flood.reply) }
        other.route("/a", .body(body))
    }

    @Test(arguments: Flood.allCases)
    func `other transfers continue beside a flood`(flood: Flood) async {
        let victim = FloodVictim(transport, flooding.url("/\(flood)"))
        victim.start()
        await flooding.received(1)
        await loadOthers(beside: "\(flood)")
        victim.stop()
        await victim.ended()
    }

    @Test(.enabled(if: NginxServer.isAvailable, "needs openssl: Scripts/bootstrap.sh --tests"))
    func `other transfers continue beside HTTP2 frames without data`() async throws {
        let (server, settings) = try frameFlood()
        let victim = FloodVictim(transport, server.url, settings)
        victim.start()
        await loadOthers(beside: "http2")
        victim.stop()
        await victim.ended()
        server.stop()
    }

    @Test(.enabled(if: NginxServer.isAvailable, "needs openssl: Scripts/bootstrap.sh --tests"))
    func `a flood of frames ends where libcurl reads ahead of OpenSSL`() async throws {
        let (server, settings) = try frameFlood()
        // The first transfer sets up libcurl.
        await loadOthers(beside: "http2, before", 2)
        let isAhead = kf_curl_set_reads_ahead(1)
        defer { _ = kf_curl_set_reads_ahead(isAhead) }
        async let flooded = transport.load(server.url, settings: settings)
        await loadOthers(beside: "http2, read ahead")
        guard case .connectionLost = await flooded.error else {
            Issue.record("the flood did not end")
            return
        }
        server.stop()
    }

    /// A server whose answer is settings, and then frames of a type that a receiver ignores
    /// (RFC 9113, 4.1).
    private func frameFlood() throws -> (RawTLSServer, TransferSettings) {
        let authority = try TestAuthority()
        let settings = Data([0, 0, 0, 4, 0, 0, 0, 0, 0])
        let unknown = Data([0, 0, 0, 0xBE, 0, 0, 0, 0, 0])
        let server = try RawTLSServer(
            authority: authority,
            protocolName: "h2",
            sending: settings,
            flood: (0..<1000).reduce(into: Data()) { data, _ in data += unknown }
        )
        var settingsOfVictim = TransferSettings.patient
        settingsOfVictim.certificateAuthorities = try authority.pem(.root)
        return (server, settingsOfVictim)
    }

    /// Two at a time.
    private func loadOthers(beside flood: String, _ count: Int = 200) async {
        let times = Locked<[Duration]>([])
        await withTaskGroup { group in
            for _ in 0..<2 {
                group.addTask { [transport, other, body] in
                    for _ in 0..<(count / 2) {
                        let start = ContinuousClock.now
                        let outcome = await transport.load(other.url("/a"))
                        times.change { $0.append(.now - start) }
                        #expect(outcome.hasBody(body))
                    }
                }
            }
        }
        if ProcessInfo.processInfo.environment["KF_FLOOD_TIMES"] != nil {
            let sorted = times.value.sorted()
            print("\(flood): p50 \(sorted[count / 2]), p99 \(sorted[count * 99 / 100])")
        }
    }

    @Test func `small pieces are handed on together, and no round is long`() async {
        let victim = FloodVictim(transport, flooding.url("/\(Flood.chunks)"))
        victim.start()
        let loads = 50
        for _ in 0..<loads { #expect(await transport.load(other.url("/a")).hasBody(body)) }
        let (bytes, calls) = victim.counts
        victim.stop()
        await victim.ended()
        #expect(calls == 0 || bytes / calls > 100, "\(bytes) bytes in \(calls) calls")
        // A round of libcurl without a limit delivers a million bytes of this flood, and a load
        // takes several.
        #expect(bytes < loads * 500_000, "\(bytes) bytes during \(loads) loads")
    }

    @Test func `a paused transfer keeps what was gathered`() async {
        let pieces = (0..<400).map { Data("\($0),".utf8) }
        other.route("/pieces", .chunked(pieces))
        let whole = pieces.reduce(Data(), +)
        for _ in 0..<20 {
            let recorder = TransferRecorder(chunk: { transfer in
                transfer.pause()
                Task { transfer.resume() }
            })
            let outcome = await transport.load(other.url("/pieces"), recorder: recorder)
            #expect(outcome.error == nil)
            #expect(outcome.hasBody(whole))
        }
    }
}

/// The forms of floods.
enum Flood: String, CaseIterable, Sendable {
    case chunks, redirect, lines, trailers, interim, extensions, pieces, bomb

    var reply: ServerReply {
        ServerReply(steps: [.send(start), .repeatForever(piece)])
    }

    var start: Data {
        let chunked = [("Transfer-Encoding", "chunked")]
        return switch self {
        case .chunks: ServerReply.head(200, chunked)
        case .redirect: ServerReply.head(302, chunked + [("Location", "/next")])
        case .lines: Data("HTTP/1.1 200 OK\r\n".utf8)
        case .trailers: ServerReply.head(200, chunked) + Data("1\r\nx\r\n0\r\n".utf8)
        case .interim: Data()
        case .extensions: ServerReply.head(200, chunked) + Data("1;".utf8)
        case .pieces: ServerReply.head(200)
        case .bomb:
            // The beginning of a stream of stored blocks (RFC 1951, 3.2.4; RFC 1952, 2.3).
            ServerReply.head(200, [("Content-Encoding", "gzip")])
                + Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        }
    }

    var piece: Data {
        let unit =
            switch self {
            case .chunks, .redirect: Data("1\r\nx\r\n".utf8)
            case .lines, .trailers: Data("a:b\r\n".utf8)
            case .interim: Data("HTTP/1.1 103 E\r\n\r\n".utf8)
            case .extensions, .pieces: Data("a".utf8)
            // A stored block of one byte.
            case .bomb: Data([0, 1, 0, 0xFE, 0xFF, 0x61])
            }
        return (0..<(65_536 / unit.count)).reduce(into: Data()) { data, _ in data += unit }
    }
}

/// A client of a flood, which asks again whenever its transfer has ended.
private final class FloodVictim: HTTPTransferHandler {
    private struct State {
        var bytes = 0
        var calls = 0
        var isStopped = false
        var transfer: (any HTTPTransfer)?
        var hasEnded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let transport: CurlTransport
    private let url: URL
    private let settings: TransferSettings

    init(_ transport: CurlTransport, _ url: URL, _ settings: TransferSettings = .patient) {
        self.transport = transport
        self.url = url
        var settings = settings
        settings.maxBodyBytes = .max / 2
        self.settings = settings
    }

    var counts: (bytes: Int, calls: Int) { state.withLock { ($0.bytes, $0.calls) } }

    func start() {
        let transfer = transport.start(URLRequest(url: url), settings: settings, handler: self)
        let isStopped = state.withLock { state in
            state.transfer = transfer
            return state.isStopped
        }
        if isStopped { transfer.cancel() }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            return state.transfer
        }?.cancel()
    }

    func ended() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                state.waiter = continuation
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan) {
        let count = chunk.byteCount
        state.withLock { state in
            state.bytes += count
            state.calls += 1
        }
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    ) {
        let (isStopped, waiter) = state.withLock { state in
            if state.isStopped { state.hasEnded = true }
            return (state.isStopped, state.waiter)
        }
        if isStopped { waiter?.resume() } else { start() }
    }
}
