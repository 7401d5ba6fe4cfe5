import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Bodies that were being received when their process was killed.
@Suite(.timeLimit(.minutes(2)))
struct KilledDownloadTests {
    private static let bytes = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let server: ImageServer
    private let folder: TemporaryDirectory

    init() throws {
        server = try ImageServer()
        folder = try TemporaryDirectory()
        let bytes = Self.bytes
        server.route("/a") { request in
            let range = request.value(for: "Range")?.dropFirst("bytes=".count).dropLast()
            let first = range.flatMap { Int($0) } ?? 0
            guard first == 0 else {
                return .body(
                    bytes.dropFirst(first),
                    status: 206,
                    fields: [
                        ("ETag", "\"v1\""),
                        ("Content-Range", "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"),
                    ]
                )
            }
            let fields = [("Content-Length", "\(bytes.count)"), ("ETag", "\"v1\"")]
            return ServerReply(steps: [
                .send(ServerReply.head(200, fields) + bytes.prefix(300_000)),
                .wait(ServerGate()),
            ])
        }
    }

    private static func policy(_ path: String) -> DownloadResumption {
        var policy = DownloadResumption(folder: URL(fileURLWithPath: path, isDirectory: true))
        policy.minBytes = 1000
        return policy
    }

    private static var settings: TransferSettings {
        var settings = TransferSettings.patient
        settings.maxBodyBytesInMemory = 50_000
        return settings
    }

    /// Files that were left, by their extension.
    private var left: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []
        return names.map { ($0 as NSString).pathExtension }
    }

    @Test func `what a killed process had is gone on with by the next one`() async throws {
        let (address, path) = (server.url("/a").absoluteString, folder.url.path)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [address = address as String, path = path as String] in
            let downloads = SharedDownloads(transport: CurlTransport())
            let url = try #require(URL(string: address))
            await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in
                let caller = DownloadCaller(
                    progress: { if $0.received == 300_000 { kill(getpid(), SIGKILL) } },
                    finished: { _ in exit(1) }
                )
                downloads.join(
                    URLRequest(url: url),
                    settings: Self.settings,
                    partials: PartialBodies(Self.policy(path)),
                    caller: caller
                ).download.start()
            }
        }
        #expect(left == ["running"])
        let partials = PartialBodies(Self.policy(path))
        let downloads = SharedDownloads(transport: CurlTransport())
        let result: Result<DownloadedBody, TransferError> =
            await withCheckedContinuation { continuation in
                downloads.join(
                    URLRequest(url: server.url("/a")),
                    settings: Self.settings,
                    partials: partials,
                    caller: DownloadCaller { continuation.resume(returning: $0) }
                ).download.start()
            }
        let body = try result.get()
        #expect(body.data == Self.bytes)
        #expect(body.metrics.resumedBytes == 300_000)
        #expect(server.requests.last?.value(for: "Range") == "bytes=300000-")
        // Removed behind the completion.
        while !left.isEmpty { await Task.yield() }
    }

    private func head() throws -> PartialHead {
        let response = TransferResponse(
            url: server.url("/a"),
            statusCode: 200,
            fields: [("ETag", "\"v1\""), ("Content-Length", "400000")]
        )
        return try #require(PartialHead(response, received: 0))
    }

    @Test func `a body that is being received is nobody else's, and goes with its buffer`() throws {
        let url = folder.file("key.running")
        do {
            let file = try #require(RunningFile.make(try head(), at: url))
            try file.write(Data("abc".utf8).bytes, at: 0)
            #expect(RunningFile.read(url) == nil)
            #expect(RunningFile.make(try head(), at: url) == nil)
            RunningFile.removeLeftOver(url)
            #expect(left == ["running"])
            #expect(try file.map(3) == Data("abc".utf8))
            #expect(try file.read(from: 1, count: 2) == Data("bc".utf8))
        }
        #expect(left == [])
    }

    @Test func `of an earlier start of the machine, or damaged, it is no body`() throws {
        let url = folder.file("key.running")
        let copy = folder.file("copy.running")
        let file = try #require(RunningFile.make(try head(), at: url))
        try file.write(Data("abc".utf8).bytes, at: 0)
        let whole = try Data(contentsOf: url)
        try whole.write(to: copy)
        let found = try #require(RunningFile.read(copy))
        #expect(found.1 == Data("abc".utf8))
        #expect(found.0.received == 3)
        #expect(found.0.validator == "\"v1\"")
        for damaged in [Data(), whole.prefix(20), whole.dropLast(3), Data("x".utf8) + whole] {
            try damaged.write(to: copy)
            #expect(RunningFile.read(copy) == nil)
        }
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let name = Data(boot.prefix(36).utf8)
        var earlier = whole
        let range = try #require(earlier.range(of: name))
        earlier.replaceSubrange(range, with: Data(name.reversed()))
        try earlier.write(to: copy)
        #expect(RunningFile.read(copy) == nil)
    }
}
