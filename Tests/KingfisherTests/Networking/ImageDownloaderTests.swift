import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Section 8 of the behaviour specification, tested through the downloader.
@Suite(.timeLimit(.minutes(1)))
struct ImageDownloaderTests {
    let bench: TestBench
    let downloader: ImageDownloader

    init() throws {
        bench = try TestBench()
        downloader = bench.downloader
    }

    private func load(
        _ url: URL,
        _ options: KingfisherOptionsInfo = []
    ) async -> Result<ImageLoadingResult, KingfisherError> {
        await withCheckedContinuation { continuation in
            downloader.downloadImage(
                with: url,
                options: options + [.callbackQueue(.untouch)]
            ) { continuation.resume(returning: $0) }
        }
    }

    // MARK: Request

    @Test func `DL-1: the time-out is the downloader's, the cache policy "ignore"`() async throws {
        let transport = FakeTransport()
        let downloader = ImageDownloader(name: "fake", transport: transport)
        #expect(downloader.downloadTimeout == 15)
        downloader.downloadTimeout = 3
        let url = try #require(URL(string: "http://host/a"))
        downloader.downloadImage(with: url, completionHandler: { _ in })
        await transport.started(1)
        let transfer = try transport.transfer(0)
        #expect(transfer.settings.idleTimeout == .seconds(3))
        #expect(transfer.settings.connectTimeout == .seconds(3))
        #expect(transfer.request.cachePolicy == .reloadIgnoringLocalCacheData)
        transfer.cancel()
    }

    @Test func `DL-2, DL-7: a synchronous modifier runs before the method returns`() {
        let url = bench.serveJPEG("/a.jpg")
        let modifier = Modifier { $0 }
        let task = downloader.downloadImage(with: url, options: [.requestModifier(modifier)])
        #expect(task.isInitialized)
        #expect(modifier.started.value == [ObjectIdentifier(task)])
        task.cancel()
    }

    @Test func `DL-6: the result's URL is the modified one`() async throws {
        bench.serveJPEG("/a.jpg")
        let target = bench.serveJPEG("/b.jpg")
        let modifier = Modifier { request in
            var request = request
            request.url = target
            return request
        }
        let result = try await load(bench.server.url("/a.jpg"), [.requestModifier(modifier)]).get()
        #expect(result.url == target)
        #expect(bench.server.requests.map(\.path) == ["/b.jpg"])
    }

    // MARK: Sharing and processing

    @Test func `DL-12: two downloaders never share`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let other = ImageDownloader(name: "other")
        async let one = load(url)
        async let two = other.downloadImage(with: url)
        _ = try await (one.get(), two)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `DL-13: the priority reaches the transfer`() async throws {
        let transport = FakeTransport()
        let downloader = ImageDownloader(name: "fake", transport: transport)
        let url = try #require(URL(string: "http://host/a"))
        downloader.downloadImage(with: url, options: [.downloadPriority(0.9)]) { _ in }
        await transport.started(1)
        #expect(try transport.transfer(0).settings.priority == 0.9)
        try transport.transfer(0).cancel()
    }

    @Test func `DL-17, DL-18: a failing processor fails its own caller alone`() async {
        let gate = ServerGate()
        let data = TestImage.jpeg(width: 20, height: 10)
        bench.server.route("/a.jpg", .held(gate, then: .body(data, type: "image/jpeg")))
        let url = bench.server.url("/a.jpg")
        async let good = load(url)
        async let bad = load(url, [.processor(Refusing())])
        await bench.server.received(1)
        gate.open()
        let (first, second) = await (good, bad)
        #expect(throws: Never.self) { try first.get() }
        guard case .failure(.processorError(.processingFailed)) = second else {
            Issue.record("\(second)")
            return
        }
    }

    // MARK: Checks

    @Test(arguments: [200, 299, 300, 399])
    func `DL-23: 200 to 399 are fine`(status: Int) async throws {
        let data = TestImage.jpeg(width: 20, height: 10)
        bench.server.route("/a", .body(data, status: status))
        _ = try await load(bench.server.url("/a")).get()
    }

    @Test func `DL-23: a 304 that the request asked for is fine, and has no image`() async {
        bench.server.route("/a", .status(304))
        let asking = AnyModifier { request in
            var request = request
            request.setValue("\"1\"", forHTTPHeaderField: "If-None-Match")
            return request
        }
        let result = await load(bench.server.url("/a"), [.requestModifier(asking)])
        guard case .failure(.processorError) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test(arguments: [204, 205, 304])
    func `DL-23: a response without an image is no status error`(status: Int) async {
        bench.server.route("/a", .status(status))
        let result = await load(bench.server.url("/a"))
        guard case .failure(.responseError(.URLSessionError(let error))) = result,
            case .badResponse(let reason, _) = TransferError(in: error)
        else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.contains("(\(status))"))
    }

    @Test(arguments: [204, 205, 206, 304])
    func `DL-23: a status that the delegate refuses is a status error, also without an image`(
        status: Int
    ) async {
        final class Strict: ImageDownloaderDelegate {
            func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
                code == 200
            }
        }
        let strict = Strict()
        bench.downloader.delegate = strict
        bench.server.route("/a", .status(status))
        let result = await load(bench.server.url("/a"))
        guard case .failure(.responseError(.invalidHTTPStatusCode(let response))) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(response.statusCode == status)
        withExtendedLifetime(strict) {}
    }

    @Test(arguments: [400, 404, 410, 500, 503])
    func `DL-23: other codes are refused, and the error has the answer`(status: Int) async {
        bench.server.route("/a", .text("sorry", status: status))
        let result = await load(bench.server.url("/a"))
        guard case .failure(let error) = result,
            case .responseError(.invalidHTTPStatusCode(let response)) = error
        else {
            Issue.record("\(result)")
            return
        }
        #expect(response.statusCode == status)
    }

    @Test func `DL-26: after a failure the same URL can be requested again`() async throws {
        bench.server.route("/a.jpg", .status(500))
        let url = bench.server.url("/a.jpg")
        let failed = await load(url)
        #expect(throws: KingfisherError.self) { try failed.get() }
        bench.serveJPEG("/a.jpg")
        _ = try await load(url).get()
    }

    // MARK: Cancelling

    @Test func `DL-27: a cancelled caller gets taskCancelled with its own token`() async throws {
        let gate = ServerGate()
        let data = TestImage.jpeg(width: 20, height: 10)
        bench.server.route("/a.jpg", .held(gate, then: .body(data, type: "image/jpeg")))
        let url = bench.server.url("/a.jpg")
        let cancelled = Locked<DownloadTask?>(nil)
        async let stays = load(url)
        await bench.server.received(1)
        let error: KingfisherError? = await withCheckedContinuation { continuation in
            let task = downloader.downloadImage(
                with: url,
                options: [.callbackQueue(.untouch)]
            ) { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: error)
                } else {
                    continuation.resume(returning: nil)
                }
            }
            cancelled.change { $0 = task }
            task.cancel()
        }
        guard case .requestError(.taskCancelled(_, let token)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(token == cancelled.value?.cancelToken)
        gate.open()
        _ = try await stays.get()
        #expect(bench.server.requests.count == 1)
    }

    @Test func `DL-33: cancelling the task cancels the download of the async overload`() async {
        let gate = ServerGate()
        bench.server.route("/a.jpg", .held(gate, then: .text("never")))
        let url = bench.server.url("/a.jpg")
        let work = Task { try await downloader.downloadImage(with: url) }
        await bench.server.received(1)
        work.cancel()
        let result = await work.result
        #expect(throws: KingfisherError.self) { try result.get() }
        guard case .failure(let error as KingfisherError) = result else { return }
        #expect(error.isTaskCancelled)
        await bench.server.abandoned(1)
    }

    @Test func `W-8: a cancel while an asynchronous modifier thinks is not lost`() async {
        let url = bench.serveJPEG("/a.jpg")
        let modifier = Thinking()
        let result: Result<ImageLoadingResult, KingfisherError> =
            await withCheckedContinuation { continuation in
                let task = downloader.downloadImage(
                    with: url,
                    options: [.requestModifier(modifier), .callbackQueue(.untouch)]
                ) { continuation.resume(returning: $0) }
                task.cancel()
                modifier.finish()
            }
        guard case .failure(let error) = result else {
            Issue.record("it was loaded")
            return
        }
        #expect(error.isCancellation)
        #expect(bench.server.requests.isEmpty)
    }

    // MARK: Session

    @Test func `DL-41: a new configuration ends running downloads, and its headers are sent`()
        async throws
    {
        bench.server.route("/a.jpg", .held(ServerGate(), then: .text("never")))
        let url = bench.server.url("/a.jpg")
        async let old = load(url)
        await bench.server.received(1)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-App": "test"]
        downloader.sessionConfiguration = configuration
        let ended = await old
        #expect(throws: KingfisherError.self) { try ended.get() }
        bench.serveJPEG("/a.jpg")
        _ = try await load(url).get()
        #expect(bench.server.requests.last?.value(for: "X-App") == "test")
    }

    @Test func `DL-44: a nonsense URL gives a handle and an error`() async throws {
        for text in ["nonsense", "file:///etc/passwd", "http://", "ftp://host/a"] {
            let url = try #require(URL(string: text))
            guard case .failure(.requestError(.invalidURL)) = await load(url) else {
                Issue.record("\(text) was not refused")
                continue
            }
        }
    }

    // MARK: Redirects

    @Test func `MOD-2: a handler that gives nil stops at the redirect`() async {
        bench.serveJPEG("/b.jpg")
        bench.server.route("/a.jpg", .redirect(to: "/b.jpg"))
        let handler = AnyRedirectHandler { _, _, _, reply in reply(nil) }
        let result = await load(bench.server.url("/a.jpg"), [.redirectHandler(handler)])
        // 302 is an accepted status; its empty body is not an image.
        guard case .failure(.processorError) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(bench.server.requests.map(\.path) == ["/a.jpg"])
    }

    @Test func `MOD-4: metrics contain time, bytes, status and redirects`() async throws {
        bench.serveJPEG("/b.jpg")
        bench.server.route("/a.jpg", .redirect(to: "/b.jpg"))
        let result = try await load(bench.server.url("/a.jpg")).get()
        let metrics = try #require(result.metrics)
        #expect(metrics.httpStatusCode == 200)
        #expect(metrics.redirectCount == 1)
        #expect(metrics.responseBodyBytesReceived == Int64(result.originalData.count))
        #expect(metrics.totalRequestDuration > 0)
        let speed = try #require(metrics.downloadSpeed)
        #expect(metrics.downloadSpeedMBps == speed / 1_048_576)
        #expect(NetworkMetrics(TransferMetrics()).downloadSpeed == nil)
    }

    // MARK: The end of the downloader

    @Test func `DL-20, W-36: releasing the downloader drops no completion`() async throws {
        let transport = FakeTransport()
        var downloader: ImageDownloader? = ImageDownloader(name: "short", transport: transport)
        let url = try #require(URL(string: "http://host/a"))
        let ended = Locked(false)
        downloader?.downloadImage(
            with: url,
            options: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
        ) { _ in ended.change { $0 = true } }
        await transport.started(1)
        downloader = nil
        try transport.transfer(0).complete(Data())
        while !ended.value { await Task.yield() }
    }
}

private final class Modifier: ImageDownloadRequestModifier {
    let started = Locked<[ObjectIdentifier]>([])
    private let change: @Sendable (URLRequest) -> URLRequest?

    init(_ change: @escaping @Sendable (URLRequest) -> URLRequest?) {
        self.change = change
    }

    func modified(for request: URLRequest) -> URLRequest? { change(request) }

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? {
        { task in
            guard let task else { return }
            self.started.change { $0.append(ObjectIdentifier(task)) }
        }
    }
}

/// Blocks a request until the test opens the gate.
private final class Thinking: AsyncImageDownloadRequestModifier {
    private let gate = Gate()

    func modified(for request: URLRequest) async -> URLRequest? {
        await gate.wait()
        return request
    }

    func finish() { gate.open() }

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { nil }
}

private struct Refusing: ImageProcessor {
    let identifier = "refusing"

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? { nil }
}
