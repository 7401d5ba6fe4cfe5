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

    @Test(
        .enabled(if: NginxServer.isAvailable, "needs openssl: Scripts/bootstrap.sh --tests"),
        arguments: FrameFlood.allCases
    )
    func `other transfers continue beside HTTP2 frames without data`(flood: FrameFlood) async throws
    {
        let authority = try TestAuthority()
        let server = try RawTLSServer(
            authority: authority,
            protocolName: "h2",
            sending: flood.start,
            flood: (0..<1000).reduce(into: Data()) { data, _ in data += flood.frame },
            when: FrameFlood.hasRequest
        )
        var settings = TransferSettings.patient
        settings.certificateAuthorities = try authority.pem(.root)
        let victim = FloodVictim(transport, server.url, settings)
        victim.start()
        await loadOthers(beside: "\(flood)", 60)
        // Its connection waits for its turn, and is not given up.
        if flood.isEndless { #expect(victim.ends == 0) }
        victim.stop()
        await victim.ended()
        server.stop()
    }

    @Test(.enabled(if: NginxServer.isAvailable, "needs openssl: Scripts/bootstrap.sh --tests"))
    func `DL-47: a request is not repeated after a flood that has ended its connection`()
        async throws
    {
        let flood = FrameFlood.continuation
        let authority = try TestAuthority()
        let server = try RawTLSServer(
            authority: authority,
            protocolName: "h2",
            sending: flood.start,
            flood: (0..<1000).reduce(into: Data()) { data, _ in data += flood.frame },
            when: FrameFlood.hasRequest
        )
        // A second connection finds no server.
        let port = try UInt16(#require(server.url.port))
        let relay = try ServerRelay(to: port, ImageServer.freePort())
        var settings = TransferSettings.patient
        settings.certificateAuthorities = try authority.pem(.root)
        let outcome = await transport.load(relay.url(server.url), settings: settings)
        #expect(outcome.error != nil)
        #expect(relay.connectionCount == 1)
        server.stop()
    }

    @Test(
        .enabled(if: NginxServer.isAvailable, "needs openssl: Scripts/bootstrap.sh --tests"),
        arguments: [Flood.extensions, .longTrailer, .trailers, .chunks, .bomb, .metadata]
    )
    func `other transfers continue beside a flood with TLS`(flood: Flood) async throws {
        let authority = try TestAuthority()
        let server = try RawTLSServer(
            authority: authority,
            sending: flood.start,
            flood: flood.piece,
            when: { $0.range(of: Data("\r\n\r\n".utf8)) != nil }
        )
        var settings = TransferSettings.patient
        settings.certificateAuthorities = try authority.pem(.root)
        let victim = FloodVictim(transport, server.url, settings)
        victim.start()
        await loadOthers(beside: "\(flood) with TLS", 60)
        victim.stop()
        await victim.ended()
        server.stop()
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

    // libcurl does not call back for the extensions of chunks.
    @Test func `input without a body gets a small part of a round`() async {
        let victim = FloodVictim(transport, flooding.url("/\(Flood.extensions)"))
        victim.start()
        await flooding.received(1)
        // Its share is small after the first long round.
        for _ in 0..<50 { _ = await transport.census() }
        var shares: [Int] = []
        for _ in 0..<100 {
            let before = flooding.floodBytes
            _ = await transport.census()
            shares.append(flooding.floodBytes - before)
        }
        victim.stop()
        await victim.ended()
        // Several rounds may pass until this task continues; most of the time few do.
        #expect(shares.sorted()[25] < 1 << 20, "\(shares.sorted())")
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
    case chunks, redirect, lines, trailers, interim, extensions, pieces, bomb, longLine, longTrailer
    case emptyBlocks, metadata

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
        case .longLine: Data("HTTP/1.1 200 OK\r\nX: ".utf8)
        case .longTrailer: ServerReply.head(200, chunked) + Data("1\r\nx\r\n0\r\nX: ".utf8)
        case .extensions: ServerReply.head(200, chunked) + Data("1;".utf8)
        case .pieces: ServerReply.head(200)
        case .bomb:
            // The beginning of a stream of stored blocks (RFC 1951, 3.2.4; RFC 1952, 2.3).
            ServerReply.head(200, [("Content-Encoding", "gzip")])
                + Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        case .emptyBlocks: ServerReply.head(200, [("Content-Encoding", "deflate")])
        // A window of 64 KB, and metadata without a byte (RFC 7932, 9.1 and 9.2).
        case .metadata: ServerReply.head(200, [("Content-Encoding", "br")]) + Data([0x0C])
        }
    }

    var piece: Data {
        let unit =
            switch self {
            case .chunks, .redirect: Data("1\r\nx\r\n".utf8)
            case .lines, .trailers: Data("a:b\r\n".utf8)
            case .interim: Data("HTTP/1.1 103 E\r\n\r\n".utf8)
            case .extensions, .pieces, .longLine, .longTrailer: Data("a".utf8)
            // A stored block of one byte.
            case .bomb: Data([0, 1, 0, 0xFE, 0xFF, 0x61])
            // Four blocks with fixed codes that contain only their end (RFC 1951, 3.2.6).
            case .emptyBlocks: Data([2, 8, 0x20, 0x80, 0])
            case .metadata: Data([6])
            }
        var piece = unit
        while piece.count < 65_536 { piece += piece }
        return piece.prefix(65_536 / unit.count * unit.count)
    }
}

/// Frames that carry no byte of a body, without end (RFC 9113, 6).
enum FrameFlood: String, CaseIterable, Sendable {
    case unknown, priority, emptyData, padding, continuation, settings, ping, pingAnswer, reset,
        window
    case goAway, alternatives, interim

    /// Whether no version of libcurl ends the transfer.
    var isEndless: Bool {
        switch self {
        case .unknown, .priority, .emptyData, .padding, .pingAnswer, .goAway, .alternatives: true
        case .continuation, .settings, .ping, .reset, .window, .interim: false
        }
    }

    /// The server's settings, and the begin of an answer where the frames need one.
    var start: Data {
        let settings = Self.frame(4)
        return switch self {
        // The status 200 of HPACK's static table (RFC 7541, appendix A).
        case .emptyData, .padding: settings + Self.frame(1, flags: 4, stream: 1, [0x88])
        case .continuation: settings + Self.frame(1, stream: 1, [0x88])
        default: settings
        }
    }

    var frame: Data {
        switch self {
        case .unknown: Self.frame(0xBE)
        case .priority: Self.frame(2, stream: 1, [0, 0, 0, 0, 16])
        case .emptyData: Self.frame(0, stream: 1)
        case .padding: Self.frame(0, flags: 8, stream: 1, [255] + [UInt8](repeating: 0, count: 255))
        case .continuation: Self.frame(9, stream: 1)
        case .settings: Self.frame(4)
        case .ping: Self.frame(6, [UInt8](repeating: 1, count: 8))
        case .pingAnswer: Self.frame(6, flags: 1, [UInt8](repeating: 1, count: 8))
        case .reset: Self.frame(3, stream: 1, [0, 0, 0, 8])
        case .window: Self.frame(8, [0, 0, 0, 1])
        case .goAway: Self.frame(7, [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
        case .alternatives: Self.frame(10, [0, 1, 0x61] + "h2=\":1\"".utf8)
        // The status 100 as a literal without indexing (RFC 7541, 6.2.2).
        case .interim: Self.frame(1, flags: 4, stream: 1, [8, 3] + "100".utf8)
        }
    }

    private static func frame(
        _ type: UInt8,
        flags: UInt8 = 0,
        stream: UInt8 = 0,
        _ payload: [UInt8] = []
    ) -> Data {
        let count = payload.count
        return Data(
            [0, UInt8(count >> 8), UInt8(count & 255), type, flags, 0, 0, 0, stream] + payload
        )
    }

    /// Whether the client has sent the headers of its first request.
    @Sendable static func hasRequest(_ received: Data) -> Bool {
        received.range(of: Data([1, 0x25, 0, 0, 0, 1])) != nil
            || received.range(of: Data([1, 5, 0, 0, 0, 1])) != nil
    }
}

/// A client of a flood, which asks again whenever its transfer has ended.
private final class FloodVictim: HTTPTransferHandler {
    private struct State {
        var bytes = 0
        var calls = 0
        var ends = 0
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

    /// How often its transfer has ended.
    var ends: Int { state.withLock { $0.ends } }
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
            state.ends += 1
            if state.isStopped { state.hasEnded = true }
            return (state.isStopped, state.waiter)
        }
        if isStopped { waiter?.resume() } else { start() }
    }
}
