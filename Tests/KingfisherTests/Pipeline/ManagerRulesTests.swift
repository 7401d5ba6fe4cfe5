import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// What a manager hands out, and where it calls back.
@Suite(.timeLimit(.minutes(1)))
struct ManagerRulesTests {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>
    let bench: TestBench
    let blur = BlurImageProcessor(blurRadius: 2)

    init() throws {
        bench = try TestBench()
    }

    /// The outcome of a load with a closure, and the handle that the call gave.
    private func retrieve(
        _ url: URL,
        _ options: KingfisherOptionsInfo
    ) async -> (outcome: Outcome, task: DownloadTask?) {
        let task = Locked<DownloadTask?>(nil)
        let returned = Gate()
        let outcome = await withCheckedContinuation { continuation in
            let handle = bench.manager.retrieveImage(with: url, options: options) {
                continuation.resume(returning: $0)
            }
            task.change { $0 = handle }
            returned.open()
        }
        await returned.wait()
        return (outcome, task.value)
    }

    /// Stores an image under its computed key alone.
    private func stored(_ path: String) async throws -> (url: URL, options: KingfisherOptionsInfo) {
        let url = bench.serveJPEG(path)
        let options: KingfisherOptionsInfo = [.processor(blur), .waitForCache]
        _ = try await bench.manager.retrieveImage(with: url, options: options)
        return (url, options)
    }

    @Test func `MGR-1: memory, then disk; a hit gives no handle`() async throws {
        let (url, options) = try await stored("/a.jpg")
        let inMemory = await retrieve(url, options)
        #expect(try inMemory.outcome.get().cacheType == .memory)
        #expect(inMemory.task == nil)
        bench.cache.clearMemoryCache()
        let onDisk = await retrieve(url, options)
        #expect(try onDisk.outcome.get().cacheType == .disk)
        #expect(onDisk.task == nil)
        #expect(bench.server.requests.count == 1)
        // Another computed key is another entry.
        let plain = await retrieve(url, [])
        #expect(try plain.outcome.get().cacheType == .none)
        #expect(plain.task?.isInitialized == true)
    }

    @Test func `MGR-24: with an asynchronous probe there is always a handle`() async throws {
        let (url, options) = try await stored("/a.jpg")
        let probing = options + [.asyncCacheTypeCheck]
        #expect(await retrieve(url, probing).task != nil)
        bench.cache.clearMemoryCache()
        #expect(await retrieve(url, probing).task != nil)
        let forbidden = await retrieve(
            bench.server.url("/none"),
            [.asyncCacheTypeCheck, .onlyFromCache]
        )
        #expect(throws: KingfisherError.self) { try forbidden.outcome.get() }
        #expect(forbidden.task?.isInitialized == false)
        let loaded = await retrieve(bench.serveJPEG("/b.jpg"), [.asyncCacheTypeCheck])
        #expect(loaded.task?.isInitialized == true)
    }

    @Test func `MGR-27: a stale caller's miss downloads nothing after an asynchronous probe`()
        async
    {
        let url = bench.serveJPEG("/a.jpg")
        let options = KingfisherParsedOptionsInfo(bench.manager.resolved([.asyncCacheTypeCheck]))
        let stale = bench.manager.request(.network(url), options, isStillWanted: { false })
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.load(stale)
        }
        #expect(error?.errorCode == 3006)
        #expect(bench.server.requests.isEmpty)
    }

    @Test(arguments: [true, false])
    func `MGR-47: a stale caller's found original brings no download`(
        isPicture: Bool
    )
        async throws
    {
        let url = bench.serveJPEG("/a.jpg")
        let bytes = isPicture ? TestImage.jpeg() : Data("no picture".utf8)
        try await bench.cache.storeToDisk(bytes, forKey: url.cacheKey)
        let options = KingfisherParsedOptionsInfo(bench.manager.resolved([.processor(blur)]))
        let stale = bench.manager.request(.network(url), options, isStillWanted: { false })
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.load(stale)
        }
        #expect(error?.errorCode == 3006)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `MGR-51: each of many cancelled tasks ends once`() async {
        let urls = (0..<10).map { bench.serveJPEG("/\($0).jpg") }
        let manager = bench.manager
        let blur = blur
        let ended = Locked(0)
        let loads = (0..<400).map { number in
            Task {
                defer { ended.change { $0 += 1 } }
                let options: KingfisherOptionsInfo =
                    number % 3 == 0 ? [.forceRefresh] : [.processor(blur), .asyncCacheTypeCheck]
                return try await manager.retrieveImage(with: urls[number % 10], options: options)
            }
        }
        // In an order of their own, and some of them at a later stage than others.
        for step in 0..<loads.count {
            if step % 5 == 0 { await Task.yield() }
            loads[step * 7 % loads.count].cancel()
        }
        for load in loads {
            switch await load.result {
            case .success(let value):
                #expect(value.image.pixelWidth == 64)
            case .failure(let error):
                let isCancel =
                    error is CancellationError
                    || (error as? KingfisherError)?.isCancellation == true
                #expect(isCancel, "\(error)")
            }
        }
        #expect(ended.value == loads.count)
        #expect(bench.downloader.downloads.running.isEmpty)
    }

    // MARK: Where it calls back

    /// A queue that knows when something runs on it.
    private struct MarkedQueue {
        let queue = DispatchQueue(label: "callbacks")
        private let key = DispatchSpecificKey<Bool>()

        init() { queue.setSpecific(key: key, value: true) }

        var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
    }

    @MainActor
    @Test func `MGR-19 W-40: a hit reaches its queue while the main queue is busy`() throws {
        let image = KFCrossPlatformImage(data: TestImage.jpeg())
        let resource = KF.ImageResource(downloadURL: bench.server.url("/a.jpg"))
        bench.cache.store(try #require(image), forKey: resource.cacheKey, toDisk: false)
        let arrived = DispatchSemaphore(value: 0)
        let queue = MarkedQueue()
        let isThere = Locked(false)
        bench.manager.retrieveImage(
            with: resource,
            options: [.callbackQueue(.dispatch(queue.queue)), .onlyFromCache]
        ) { result in
            isThere.change { $0 = queue.isCurrent && (try? result.get()) != nil }
            arrived.signal()
        }
        // The main queue is held here, so a completion that needs it would never come.
        #expect(arrived.wait(timeout: .now() + 30) == .success)
        #expect(isThere.value)
    }

    @Test func `MGR-21: waiting for the cache does not change the queue`() async throws {
        let queue = MarkedQueue()
        for number in 0..<20 {
            let url = bench.serveJPEG("/\(number).jpg")
            let isThere = await withCheckedContinuation { continuation in
                bench.manager.retrieveImage(
                    with: url,
                    options: [
                        .callbackQueue(.dispatch(queue.queue)), .processor(blur), .waitForCache,
                        .cacheOriginalImage,
                    ]
                ) { _ in continuation.resume(returning: queue.isCurrent) }
            }
            #expect(isThere)
            #expect(bench.cache.cacheFileURLIfOnDisk(forKey: url.cacheKey) != nil)
        }
    }

    /// Answers on a queue of its own.
    private struct Elsewhere: RetryStrategy {
        let decision: RetryDecision
        let queue = DispatchQueue(label: "strategy")
        func retry(
            context: RetryContext,
            retryHandler: @escaping @Sendable (RetryDecision) -> Void
        ) {
            let decision = context.retriedCount == 0 ? decision : .stop
            queue.async { retryHandler(decision) }
        }
    }

    @Test(arguments: [RetryDecision.stop, .retry(userInfo: nil)])
    func `MGR-22 W-40: an error comes on the callback queue, whatever caused it`(
        decision: RetryDecision
    ) async {
        bench.server.route("/500", .status(500))
        let queue = MarkedQueue()
        let isThere = await withCheckedContinuation { continuation in
            bench.manager.retrieveImage(
                with: bench.server.url("/500"),
                options: [
                    .callbackQueue(.dispatch(queue.queue)),
                    .retryStrategy(Elsewhere(decision: decision)),
                ]
            ) { _ in continuation.resume(returning: queue.isCurrent) }
        }
        #expect(isThere)
    }

    /// Notes on which queue the disk is read.
    private struct Noting: CacheSerializer {
        let queue: MarkedQueue
        let isThere = Locked<Bool?>(nil)
        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { original }
        func image(
            with data: Data,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            let isCurrent = queue.isCurrent
            isThere.change { $0 = isCurrent }
            return DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    @Test(arguments: [true, false])
    func `OPT-13: after an asynchronous probe the disk is read off the caller's queue`(
        isSync: Bool
    )
        async throws
    {
        let url = bench.serveJPEG("/a.jpg")
        try await bench.cache.storeToDisk(TestImage.jpeg(), forKey: url.cacheKey)
        let queue = MarkedQueue()
        let serializer = Noting(queue: queue)
        let options: KingfisherOptionsInfo = [
            .asyncCacheTypeCheck, .cacheSerializer(serializer), .callbackQueue(.untouch),
        ]
        let outcome: Outcome = await withCheckedContinuation { continuation in
            queue.queue.async { [bench] in
                bench.manager.retrieveImage(
                    with: url,
                    options: options + (isSync ? [.loadDiskFileSynchronously] : [])
                ) { continuation.resume(returning: $0) }
            }
        }
        #expect(try outcome.get().cacheType == .disk)
        #expect(serializer.isThere.value == false)
    }
}
