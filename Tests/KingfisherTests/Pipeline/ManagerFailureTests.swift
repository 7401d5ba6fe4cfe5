import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What follows a failure and a cancel: alternatives, retries, or nothing.
@Suite(.timeLimit(.minutes(1)))
struct ManagerFailureTests {
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    /// Answers as often as it is asked, and remembers what it was told.
    private final class Strategy: RetryStrategy {
        let seen = Locked<[(count: Int, first: Int, last: Int)]>([])
        private let limit: Int
        private let asked: @Sendable () -> Void

        init(_ limit: Int, asked: @escaping @Sendable () -> Void = {}) {
            self.limit = limit
            self.asked = asked
        }

        func retry(
            context: RetryContext,
            retryHandler: @escaping @Sendable (RetryDecision) -> Void
        ) {
            let line = (context.retriedCount, context.error.errorCode, context.lastError.errorCode)
            seen.change { $0.append(line) }
            asked()
            retryHandler(context.retriedCount < limit ? .retry(userInfo: nil) : .stop)
        }
    }

    /// Gives nothing.
    private struct Nothing: ImageProcessor {
        let identifier = "nothing"
        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? { nil }
    }

    /// Waits until it is cancelled.
    private struct Endless: ImageDataProvider {
        let cacheKey = "endless"
        let started = Gate()
        let cancelled = Gate()
        func data() async throws -> Data {
            started.open()
            return try await withTaskCancellationHandler {
                await cancelled.wait()
                try Task.checkCancellation()
                return Data()
            } onCancel: {
                cancelled.open()
            }
        }
    }

    @Test func `MGR-6: a processor that gives nothing for an original ends the load`()
        async throws
    {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url)
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: url, options: [.processor(Nothing())])
        }
        guard case .processorError(reason: .processingFailed(_, item: .image))? = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(bench.server.requests.count == 1)
    }

    @Test func `MGR-7: an original that is no image is loaded again, unless forbidden`()
        async throws
    {
        let url = bench.serveJPEG("/a.jpg")
        let blur: KingfisherOptionsInfo = [.processor(BlurImageProcessor(blurRadius: 1))]
        try await bench.cache.storeToDisk(Data("no picture".utf8), forKey: url.cacheKey)
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: url, options: blur + [.onlyFromCache])
        }
        #expect(error?.errorCode == 3006)
        try await bench.cache.storeToDisk(Data("no picture".utf8), forKey: url.cacheKey)
        let result = try await bench.manager.retrieveImage(with: url, options: blur)
        #expect(result.cacheType == .none)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `MGR-38: a cancel tries no alternative and asks no strategy`() async throws {
        let gate = ServerGate()
        bench.server.route("/slow", .held(gate, then: .status(200)))
        let good = bench.serveJPEG("/good.jpg")
        let strategy = Strategy(1)
        let manager = bench.manager
        let slow = bench.server.url("/slow")
        let task = Task {
            try await manager.retrieveImage(
                with: slow,
                options: [.alternativeSources([.network(good)]), .retryStrategy(strategy)]
            )
        }
        await bench.server.received(1)
        task.cancel()
        let error = await #expect(throws: KingfisherError.self) { try await task.value }
        #expect(error?.isTaskCancelled == true)
        gate.open()
        #expect(bench.server.requests(for: "/good.jpg").isEmpty)
        #expect(strategy.seen.value.isEmpty)
    }

    @Test func `RTY-4: both strategies answer a cancel with stop`() throws {
        let request = URLRequest(url: try #require(URL(string: "https://host.test/a")))
        let provider = RawImageDataProvider(data: Data(), cacheKey: "a")
        let task = SessionDataTask(request: request)
        let reasons: [KingfisherError.RequestErrorReason] = [
            .taskCancelled(task: task, token: 1), .asyncTaskContextCancelled,
            .dataProviderCancelled(provider: provider),
            .livePhotoTaskCancelled(source: LivePhotoSource(resources: [])),
        ]
        let strategies: [any RetryStrategy] = [
            DelayRetryStrategy(maxRetryCount: 5, retryInterval: .seconds(0)),
            NetworkRetryStrategy(timeoutInterval: nil),
        ]
        for reason in reasons {
            let error = KingfisherError.requestError(reason: reason)
            for strategy in strategies {
                let stops = Locked(0)
                let context = RetryContext(source: .provider(provider), error: error)
                strategy.retry(context: context) { decision in
                    if case .stop = decision { stops.change { $0 += 1 } }
                }
                #expect(stops.value == 1, "\(error.errorCode) to \(type(of: strategy))")
            }
        }
    }

    @Test func `MGR-39 PRV-8: a provider's cancel is a cancel, and it learns of it`() async throws {
        let good = bench.serveJPEG("/good.jpg")
        let provider = Endless()
        let manager = bench.manager
        let task = Task {
            try await manager.retrieveImage(
                with: .provider(provider),
                options: [.alternativeSources([.network(good)])]
            )
        }
        await provider.started.wait()
        task.cancel()
        let error = await #expect(throws: KingfisherError.self) { try await task.value }
        #expect(error?.errorCode == 1006)
        await provider.cancelled.wait()
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `MGR-40 RTY-11: an alternative and a retry look into the cache first`()
        async throws
    {
        bench.server.route("/404", .status(404))
        let good = bench.serveJPEG("/good.jpg")
        _ = try await bench.manager.retrieveImage(with: good)
        let result = try await bench.manager.retrieveImage(
            with: bench.server.url("/404"),
            options: [.alternativeSources([.network(good)])]
        )
        #expect(result.cacheType == .memory)
        #expect(bench.server.requests(for: "/good.jpg").count == 1)
    }

    @Test func `MGR-46 MGR-48: one who does not want it any more gets the failure at once`() async {
        bench.server.route("/500", .status(500))
        let good = bench.serveJPEG("/good.jpg")
        let strategy = Strategy(3)
        let url = bench.server.url("/500")
        let options = KingfisherParsedOptionsInfo(
            bench.manager.resolved([
                .alternativeSources([.network(good)]), .retryStrategy(strategy),
            ])
        )
        let stale = bench.manager.request(.network(url), options, isStillWanted: { false })
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.load(stale)
        }
        #expect(error?.isInvalidResponseStatusCode(500) == true)
        #expect(strategy.seen.value.isEmpty)
        let wanted = bench.manager.request(.network(url), options, isStillWanted: { true })
        #expect((try? await bench.manager.load(wanted))?.source == .network(good))
    }

    @Test func `MGR-46: a caller that loses interest while the strategy waits gets the failure`()
        async
    {
        bench.server.route("/500", .status(500))
        let isWanted = Locked(true)
        let strategy = Strategy(3) { isWanted.change { $0 = false } }
        let options = KingfisherParsedOptionsInfo(
            bench.manager.resolved([
                .alternativeSources([.network(bench.serveJPEG("/good.jpg"))]),
                .retryStrategy(strategy),
            ])
        )
        let request = bench.manager.request(
            .network(bench.server.url("/500")),
            options,
            isStillWanted: { isWanted.value }
        )
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.load(request)
        }
        #expect(error?.isInvalidResponseStatusCode(500) == true)
        #expect(strategy.seen.value.count == 1)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `MGR-52: a hit ignores a cancel`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url)
        let request = bench.manager.request(
            .network(url),
            KingfisherParsedOptionsInfo(bench.manager.resolved(nil))
        )
        let manager = bench.manager
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await manager.load(request).cacheType
        }
        task.cancel()
        #expect(try await task.value == .memory)
    }

    @Test
    func `RTY-2 RTY-3 RTY-6: the first error is kept, the last is reported, the original tried`()
        async throws
    {
        bench.server.route("/404", .status(404))
        bench.server.route("/bad", .body(Data("no picture".utf8)))
        let strategy = Strategy(0)
        let first = bench.server.url("/404")
        _ = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: first,
                options: [
                    .retryStrategy(strategy),
                    .alternativeSources([.network(bench.server.url("/bad"))]),
                ]
            )
        }
        #expect(strategy.seen.value.map(\.first) == [2002, 2002])
        #expect(strategy.seen.value.map(\.last) == [2002, 4001])

        let again = Strategy(1)
        _ = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: first, options: [.retryStrategy(again)])
        }
        #expect(bench.server.requests(for: "/404").count == 3)
    }

    @Test func `MGR-38: a cancel while a strategy waits ends as a cancel`() async {
        struct Endless: RetryStrategy {
            let asked = Gate()
            func retry(
                context: RetryContext,
                retryHandler: @escaping @Sendable (RetryDecision) -> Void
            ) { asked.open() }
        }
        bench.server.route("/500", .status(500))
        let strategy = Endless()
        let url = bench.server.url("/500")
        let alternative = Source.network(bench.serveJPEG("/a.jpg"))
        let load = Task { [manager = bench.manager] in
            try await manager.retrieveImage(
                with: url,
                options: [.retryStrategy(strategy), .alternativeSources([alternative])]
            )
        }
        await strategy.asked.wait()
        load.cancel()
        let error = await #expect(throws: KingfisherError.self) { try await load.value }
        #expect(error?.isTaskCancelled == true)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `RTY-10: the downloader alone does not retry`() async {
        bench.server.route("/500", .status(500))
        let strategy = Strategy(3)
        let url = bench.server.url("/500")
        _ = await #expect(throws: KingfisherError.self) {
            try await bench.downloader.downloadImage(
                with: url,
                options: [.retryStrategy(strategy)]
            )
        }
        #expect(bench.server.requests.count == 1)
        #expect(strategy.seen.value.isEmpty)
    }

    @Test func `PRV-5: a provider's failures name what failed`() async {
        struct Broken: ImageDataProvider {
            struct Failure: Error {}
            let cacheKey = "broken"
            func data() async throws -> Data { throw Failure() }
        }
        let manager = bench.manager
        let broken = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: .provider(Broken()))
        }
        #expect(broken?.errorCode == 5003)
        let bytes = RawImageDataProvider(data: TestImage.png(), cacheKey: "bytes")
        let failed = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(
                with: .provider(bytes),
                options: [.processor(Nothing())]
            )
        }
        guard case .processorError(reason: .processingFailed(_, item: .data))? = failed else {
            Issue.record("unexpected: \(String(describing: failed))")
            return
        }
    }

    @Test func `PRV-9 PRV-11: a provider's load has a handle of its own, and is not shared`()
        async throws
    {
        struct Counting: ImageDataProvider {
            let cacheKey = "counting"
            let runs = Locked(0)
            let gate = Gate()
            func data() async throws -> Data {
                runs.change { $0 += 1 }
                await gate.wait()
                return TestImage.png()
            }
        }
        let provider = Counting()
        let ended = Locked(0)
        let manager = bench.manager
        for _ in 0..<2 {
            let task = manager.retrieveImage(
                with: .provider(provider),
                options: [.callbackQueue(.untouch)],
                completionHandler: { _ in ended.change { $0 += 1 } }
            )
            #expect(task?.isInitialized == true)
            #expect(task?.sessionTask == nil)
            #expect(task?.cancelToken == nil)
        }
        provider.gate.open()
        while ended.value < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(provider.runs.value == 2)
    }
}
