import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct FailureTests {
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    private func error(
        _ url: URL,
        options: KingfisherOptionsInfo = []
    ) async -> KingfisherError? {
        await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: url, options: options)
        }
    }

    @Test func `DL-23: a refused status is an error with its code`() async {
        bench.server.route("/404", .status(404))
        let error = await error(bench.server.url("/404"))
        #expect(error?.isInvalidResponseStatusCode(404) == true)
        #expect(error?.errorCode == 2002)
    }

    @Test func `a refused connection is a transfer error`() async throws {
        let url = bench.server.url("/a.jpg")
        bench.server.stop()
        #expect(await error(url)?.errorCode == 2003)
    }

    @Test(arguments: [Data("<html>no</html>".utf8), Data(), TestImage.jpeg().prefix(300)])
    func `bytes that are no whole image fail and are not cached`(body: Data) async {
        bench.server.route("/bad", .body(body, type: "image/jpeg"))
        let url = bench.server.url("/bad")
        #expect(await error(url, options: [.waitForCache, .cacheOriginalImage])?.errorCode == 4001)
        #expect(!bench.cache.isCached(forKey: url.cacheKey))
    }

    @Test func `DL-3 DL-4: a modifier's nil gives emptyRequest everywhere`() async {
        let url = bench.serveJPEG("/a.jpg")
        let options: KingfisherOptionsInfo = [.requestModifier(AnyModifier { _ in nil })]
        #expect(await error(url, options: options)?.errorCode == 1001)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `DL-5: another scheme is an invalid URL`() async throws {
        let url = try #require(URL(string: "ftp://127.0.0.1/a.jpg"))
        #expect(await error(url)?.errorCode == 1002)
    }

    @Test func `MGR-36 MGR-37: alternatives are tried in order`() async throws {
        bench.server.route("/404", .status(404))
        let good = bench.serveJPEG("/good.jpg")
        let bad = bench.server.url("/404")
        let result = try await bench.manager.retrieveImage(
            with: bad,
            options: [.alternativeSources([.network(bad), .network(good)])]
        )
        #expect(result.source == .network(good))
        #expect(result.originalSource == .network(bad))
    }

    @Test func `MGR-37: exhausted alternatives are listed, the original first`() async throws {
        bench.server.route("/404", .status(404))
        bench.server.route("/500", .status(500))
        let first = bench.server.url("/404")
        let second = bench.server.url("/500")
        let error = await error(first, options: [.alternativeSources([.network(second)])])
        guard
            case .imageSettingError(reason: .alternativeSourcesExhausted(let errors))? = error
        else {
            Issue.record("unexpected error \(String(describing: error))")
            return
        }
        #expect(errors.map(\.source) == [.network(first), .network(second)])
    }

    struct CountingRetry: RetryStrategy {
        let counts = Locked<[Int]>([])
        let limit: Int
        func retry(
            context: RetryContext,
            retryHandler: @escaping @Sendable (RetryDecision) -> Void
        ) {
            counts.change { $0.append(context.retriedCount) }
            retryHandler(context.retriedCount < limit ? .retry(userInfo: nil) : .stop)
        }
    }

    @Test func `RTY-1: the count rises with each question`() async {
        bench.server.route("/500", .status(500))
        let strategy = CountingRetry(limit: 2)
        _ = await error(bench.server.url("/500"), options: [.retryStrategy(strategy)])
        #expect(strategy.counts.value == [0, 1, 2])
        #expect(bench.server.requests.count == 3)
    }

    @Test func `RTY-1: what an answer carries is in the next question`() async {
        struct Carrying: RetryStrategy {
            let seen = Locked<[String?]>([])
            func retry(
                context: RetryContext,
                retryHandler: @escaping @Sendable (RetryDecision) -> Void
            ) {
                let carried = context.userInfo as? String
                seen.change { $0.append(carried) }
                let count = context.retriedCount
                retryHandler(count < 2 ? .retry(userInfo: "answer \(count)") : .stop)
            }
        }
        bench.server.route("/500", .status(500))
        let strategy = Carrying()
        _ = await error(bench.server.url("/500"), options: [.retryStrategy(strategy)])
        #expect(strategy.seen.value == [nil, "answer 0", "answer 1"])
    }

    @Test func `RTY-5: delayed retries stop at their limit and for other errors`() async {
        bench.server.route("/500", .status(500))
        bench.server.route("/bad", .body(Data("no".utf8)))
        let strategy = DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(0))
        _ = await error(bench.server.url("/500"), options: [.retryStrategy(strategy)])
        #expect(bench.server.requests.count == 4)
        _ = await error(bench.server.url("/bad"), options: [.retryStrategy(strategy)])
        #expect(bench.server.requests.count == 5)
    }

    @Test func `MGR-32: a failing disk does not fail the load`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        // The index is read in the background, and its log must not be written meanwhile.
        bench.cache.diskStorage.open()
        try FileManager.default.removeItem(at: bench.folder.url)
        try Data().write(to: bench.folder.url)
        let result = try await bench.manager.retrieveImage(with: url, options: [.waitForCache])
        #expect(result.cacheType == .none)
    }

    @Test func `MGR-49: a task cancelled before the call throws CancellationError`() async {
        let url = bench.serveJPEG("/a.jpg")
        let manager = bench.manager
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await manager.retrieveImage(with: url)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `MGR-50: cancelling the surrounding task cancels the download`() async {
        let gate = ServerGate()
        bench.server.route("/slow", .held(gate, then: .status(200)))
        let manager = bench.manager
        let url = bench.server.url("/slow")
        let task = Task { _ = try await manager.retrieveImage(with: url) }
        await bench.server.received(1)
        task.cancel()
        let error = await #expect(throws: KingfisherError.self) { try await task.value }
        #expect(error?.isTaskCancelled == true)
        gate.open()
    }

    /// At which point of a provider's load the cancel comes.
    enum Moment: CaseIterable {
        case otherError, lateData, processing
    }

    @Test(arguments: Moment.allCases)
    func `PRV-6: a cancel is noticed at each point, once`(moment: Moment) async {
        struct Reached: Error {}
        struct Stopping: ImageDataProvider {
            let cacheKey = "stopping"
            let moment: Moment
            let cancel: @Sendable () -> Void
            func data() async throws -> Data {
                if moment != .processing { cancel() }
                if moment == .otherError { throw Reached() }
                return TestImage.png()
            }
        }
        struct Processor: ImageProcessor {
            let identifier = "stopping"
            let cancel: @Sendable () -> Void
            func process(
                item: ImageProcessItem,
                options: KingfisherParsedOptionsInfo
            ) -> KFCrossPlatformImage? {
                cancel()
                return KFCrossPlatformImage()
            }
        }
        let task = Locked<DownloadTask?>(nil)
        let handed = DispatchSemaphore(value: 0)
        let cancel: @Sendable () -> Void = {
            handed.wait()
            task.value?.cancel()
        }
        let codes = Locked<[Int?]>([])
        let ended = Gate()
        var options: KingfisherOptionsInfo = [.callbackQueue(.untouch)]
        if moment == .processing { options.append(.processor(Processor(cancel: cancel))) }
        let handle = bench.manager.retrieveImage(
            with: .provider(Stopping(moment: moment, cancel: cancel)),
            options: options
        ) { result in
            if case .failure(let error) = result {
                codes.change { $0.append(error.errorCode) }
            } else {
                codes.change { $0.append(nil) }
            }
            ended.open()
        }
        task.change { $0 = handle }
        handed.signal()
        await ended.wait()
        #expect(codes.value == [1006])
        #expect(!bench.cache.isCached(forKey: "stopping"))
    }

    @Test func `PRV-6: cancelling a provider's load names the provider`() async {
        struct Waiting: ImageDataProvider {
            let cacheKey = "waiting"
            let started = Gate()
            func data() async throws -> Data {
                started.open()
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        let provider = Waiting()
        let manager = bench.manager
        let task = Task { _ = try await manager.retrieveImage(with: .provider(provider)) }
        await provider.started.wait()
        task.cancel()
        let error = await #expect(throws: KingfisherError.self) { try await task.value }
        #expect(error?.errorCode == 1006)
    }
}
