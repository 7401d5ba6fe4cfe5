import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Interrupted downloads over the loopback interface.
@Suite(.timeLimit(.minutes(1)))
struct ResumingTests {
    let server: ImageServer
    let folder: TemporaryDirectory
    let partials: PartialBodies
    let transport = CurlTransport()
    let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        server = try ImageServer()
        folder = try TemporaryDirectory()
        var policy = DownloadResumption(folder: folder.url)
        policy.minBytes = 1000
        partials = PartialBodies(policy)
    }

    /// Breaks off at 40,000 bytes unless a range is requested.
    func serve(tag: String = "\"v1\"", then rest: @escaping @Sendable () -> ServerReply) {
        let fields = [("Content-Length", "\(bytes.count)"), ("ETag", tag), ("X-Part", "first")]
        let broken = ServerReply(steps: [
            .send(ServerReply.head(200, fields) + bytes.prefix(40_000)), .close,
        ])
        server.route("/a") { $0.value(for: "Range") == nil ? broken : rest() }
    }

    func part(from first: Int = 40_000, tag: String = "\"v1\"") -> ServerReply {
        .body(
            bytes.dropFirst(first),
            status: 206,
            fields: [
                ("ETag", tag), ("X-Part", "second"),
                ("Content-Range", "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"),
            ]
        )
    }

    func download(
        settings: TransferSettings = .patient,
        partials: PartialBodies? = nil,
        path: String = "/a",
        fields: [String: String] = [:],
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async -> Result<DownloadedBody, TransferError> {
        let downloads = SharedDownloads(transport: transport)
        var request = URLRequest(url: server.url(path))
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return await withCheckedContinuation { continuation in
            let ticket = downloads.join(
                request,
                settings: settings,
                partials: partials ?? self.partials,
                caller: DownloadCaller(progress: progress) { continuation.resume(returning: $0) }
            )
            ticket.download.start()
        }
    }

    func ranges() -> [String?] {
        server.requests(for: "/a").map { $0.value(for: "Range") }
    }

    @Test(arguments: [10_000, 8 << 20])
    func `the rest is asked for and joined, whether in memory or in a file`(
        inMemory: Int
    ) async throws {
        var settings = TransferSettings.patient
        settings.maxBodyBytesInMemory = inMemory
        serve { [self] in part() }
        let broken = await download(settings: settings)
        #expect(throws: TransferError.self) { try broken.get() }
        let steps = Locked<[TransferProgress]>([])
        let body = try await download(settings: settings) { step in
            steps.change { $0.append(step) }
        }.get()
        #expect(body.data == bytes)
        #expect(body.response.statusCode == 200)
        #expect(body.response.value(for: "X-Part") == "second")
        #expect(body.metrics.resumedBytes == 40_000)
        #expect(body.metrics.bytes == 60_000)
        #expect(ranges() == [nil, "bytes=40000-"])
        #expect(server.requests.last?.value(for: "If-Range") == "\"v1\"")
        #expect((steps.value.first?.received ?? 0) > 40_000)
        #expect(steps.value.last == TransferProgress(received: 100_000, expected: 100_000))
        await partials.flush()
        #expect(partials.isEmpty)
    }

    @Test func `what a running download has received can be kept`() async throws {
        let held = ServerReply(steps: [
            .send(
                ServerReply.head(200, [("Content-Length", "\(bytes.count)"), ("ETag", "\"v1\"")])
                    + bytes.prefix(40_000)
            ),
            .wait(ServerGate()),
        ])
        server.route("/a") { [self] in $0.value(for: "Range") == nil ? held : part() }
        let downloads = SharedDownloads(transport: transport)
        let arrived = Gate()
        let token = downloads.join(
            URLRequest(url: server.url("/a")),
            settings: .patient,
            partials: partials,
            caller: DownloadCaller(progress: { if $0.received == 40_000 { arrived.open() } }) { _ in
            }
        )
        token.download.start()
        await arrived.wait()
        downloads.keepReceived()
        await partials.flush()
        #expect(!token.download.hasEnded)
        // Another process.
        let others = PartialBodies(DownloadResumption(folder: folder.url))
        let body = try await download(partials: others).get()
        #expect(body.data == bytes)
        #expect(ranges() == [nil, "bytes=40000-"])
        token.leave()
    }

    @Test(arguments: [59_000, 61_000])
    func `a rest in chunks must have the length of its range`(count: Int) async throws {
        let fields = [
            ("ETag", "\"v1\""), ("Transfer-Encoding", "chunked"),
            ("Content-Range", "bytes 40000-99999/100000"),
        ]
        let chunk = Data("\(String(count, radix: 16))\r\n".utf8) + Data(count: count)
        let rest = ServerReply(steps: [
            .send(ServerReply.head(206, fields) + chunk + Data("\r\n0\r\n\r\n".utf8))
        ])
        serve { rest }
        _ = await download()
        let joined = await download()
        // More than the range is no interruption: the whole is requested.
        #expect(ranges() == [nil, "bytes=40000-"] + (count > 60_000 ? [nil] : []))
        #expect(throws: TransferError.self) { try joined.get() }
    }

    @Test func `kept bytes are forgotten before a caller has the whole`() async throws {
        serve { [self] in part() }
        _ = await download()
        #expect(!partials.isEmpty)
        let downloads = SharedDownloads(transport: transport)
        let isForgotten = await withCheckedContinuation { continuation in
            downloads.join(
                URLRequest(url: server.url("/a")),
                settings: .patient,
                partials: partials,
                caller: DownloadCaller { [partials] _ in
                    continuation.resume(returning: partials.isEmpty)
                }
            ).download.start()
        }
        #expect(isForgotten)
        #expect(ranges() == [nil, "bytes=40000-"])
    }

    @Test func `another process goes on as well`() async throws {
        serve { [self] in part() }
        _ = await download()
        await partials.flush()
        var policy = DownloadResumption(folder: folder.url)
        policy.minBytes = 1000
        let body = try await download(partials: PartialBodies(policy)).get()
        #expect(body.data == bytes)
        #expect(body.metrics.resumedBytes == 40_000)
    }

    @Test func `a changed file is downloaded from its beginning`() async throws {
        let changed = Data(repeating: 9, count: 70_000)
        serve { .body(changed, fields: [("ETag", "\"v2\"")]) }
        _ = await download()
        let body = try await download().get()
        #expect(body.data == changed)
        #expect(body.metrics.resumedBytes == 0)
        #expect(ranges() == [nil, "bytes=40000-"])
    }

    @Test func `a part is continued by one download at a time`() async throws {
        let gate = ServerGate()
        serve { [self] in .held(gate, then: part()) }
        _ = await download()
        let whole = ServerReply.body(bytes, fields: [("ETag", "\"v1\"")])
        let held = part()
        server.route("/a") {
            $0.value(for: "Range") == nil ? whole : .held(gate, then: held)
        }
        async let first = download()
        await gate.reached()
        #expect(try await download().get().metrics.resumedBytes == 0)
        gate.open()
        #expect(try await first.get().data == bytes)
    }

    @Test(arguments: [true, false])
    func `a body that must not be stored is not kept`(isResponse: Bool) async throws {
        let fields = [("Content-Length", "\(bytes.count)"), ("ETag", "\"v1\"")]
        let more = isResponse ? [("Cache-Control", "private, no-store")] : []
        let head = ServerReply.head(200, fields + more)
        server.route("/a", ServerReply(steps: [.send(head + bytes.prefix(40_000)), .close]))
        var settings = TransferSettings.patient
        // Received in a file.
        settings.maxBodyBytesInMemory = 10_000
        let asked = isResponse ? [:] : ["Cache-Control": "no-store"]
        _ = await download(settings: settings, fields: asked)
        await partials.flush()
        #expect(partials.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func `a part that breaks off again is a larger part`() async throws {
        let first = Locked(true)
        let middle = bytes[40_000..<70_000]
        serve { [self] in
            guard first.value else { return part(from: 70_000) }
            first.change { $0 = false }
            let fields = [
                ("Content-Length", "60000"), ("ETag", "\"v1\""),
                ("Content-Range", "bytes 40000-99999/100000"),
            ]
            return ServerReply(steps: [.send(ServerReply.head(206, fields) + middle), .close])
        }
        _ = await download()
        _ = await download()
        let body = try await download().get()
        #expect(body.data == bytes)
        #expect(ranges() == [nil, "bytes=40000-", "bytes=70000-"])
    }

    @Test func `the limit of a body counts both parts`() async {
        let fields = [("ETag", "\"v1\""), ("Transfer-Encoding", "chunked")]
        let size = Data("9c40\r\n".utf8)
        let broken = ServerReply(steps: [
            .send(ServerReply.head(200, fields) + size + bytes.prefix(40_000)), .close,
        ])
        let rest = ServerReply.body(
            bytes.dropFirst(40_000),
            status: 206,
            fields: [("ETag", "\"v1\""), ("Content-Range", "bytes 40000-99999/100000")]
        )
        server.route("/a") { $0.value(for: "Range") == nil ? broken : rest }
        var settings = TransferSettings.patient
        settings.maxBodyBytes = 90_000
        _ = await download(settings: settings)
        let result = await download(settings: settings)
        guard case .failure(.bodyTooLarge(90_000, _)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(ranges() == [nil, "bytes=40000-"])
    }

    @Test func `a download that its last caller left goes on where it was`() async throws {
        let gate = ServerGate()
        let fields = [("Content-Length", "\(bytes.count)"), ("ETag", "\"v1\"")]
        let held = ServerReply(steps: [
            .send(ServerReply.head(200, fields) + bytes.prefix(40_000)), .wait(gate),
        ])
        let rest = part()
        server.route("/a") { $0.value(for: "Range") == nil ? held : rest }
        let downloads = SharedDownloads(transport: transport)
        let result = await withCheckedContinuation { continuation in
            let ticket = Locked<DownloadToken<NoAttachment>?>(nil)
            let caller = DownloadCaller(progress: { progress in
                if progress.received == 40_000 { ticket.value?.leave() }
            }) { continuation.resume(returning: $0) }
            let request = URLRequest(url: server.url("/a"))
            let joined = downloads.join(request, partials: partials, caller: caller)
            ticket.change { $0 = joined }
            joined.download.start()
        }
        guard case .failure(.cancelled) = result else {
            Issue.record("\(result)")
            return
        }
        let body = try await download().get()
        #expect(body.data == bytes)
        #expect(body.metrics.resumedBytes == 40_000)
    }

    @Test func `a downloader keeps interrupted bodies by default`() async throws {
        let jpeg = TestImage.jpeg(width: 400, height: 300)
        let fields = [("Content-Length", "\(jpeg.count)"), ("ETag", "\"v1\"")]
        let half = jpeg.count / 2
        let broken = ServerReply(steps: [
            .send(ServerReply.head(200, fields) + jpeg.prefix(half)), .close,
        ])
        let rest = ServerReply.body(
            jpeg.dropFirst(half),
            status: 206,
            fields: [
                ("Content-Range", "bytes \(half)-\(jpeg.count - 1)/\(jpeg.count)"),
                ("ETag", "\"v1\""),
            ]
        )
        server.route("/b") { $0.value(for: "Range") == nil ? broken : rest }
        let downloader = ImageDownloader(name: "resuming")
        #expect(downloader.resumption == DownloadResumption())
        for keeps in [false, true] {
            var policy = DownloadResumption(folder: folder.url)
            policy.minBytes = 100
            downloader.resumption = keeps ? policy : nil
            for _ in 0..<2 {
                do {
                    let result = try await downloader.downloadImage(with: server.url("/b"))
                    #expect(keeps)
                    #expect(result.originalData == jpeg)
                } catch {
                    #expect(error.isTransient)
                }
            }
        }
        let asked = server.requests(for: "/b").map { $0.value(for: "Range") }
        #expect(asked == [nil, nil, nil, "bytes=\(half)-"])
    }
}

extension Error {
    fileprivate var isTransient: Bool {
        (self as? KingfisherError)?.transferError?.isTransient ?? false
    }
}
