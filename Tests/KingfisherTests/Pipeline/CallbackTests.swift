import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1)))
struct CallbackTests {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    /// Retrieves with the callback flavour; `task` gets the handle.
    private func retrieve(
        _ url: URL,
        options: KingfisherOptionsInfo = [],
        task: (DownloadTask?) -> Void = { _ in }
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            task(
                bench.manager.retrieveImage(with: url, options: options) {
                    continuation.resume(returning: $0)
                }
            )
        }
    }

    @Test func `MGR-17: a memory hit is delivered before the call returns`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url)
        let manager = bench.manager
        let order = Locked<[String]>([])
        let done = Gate()
        DispatchQueue.main.async {
            let task = manager.retrieveImage(with: url) { result in
                let type = (try? result.get())?.cacheType
                order.change { $0.append("completion \(String(describing: type))") }
            }
            order.change { $0.append(task == nil ? "no task" : "task") }
            done.open()
        }
        await done.wait()
        #expect(order.value == ["completion Optional(Kingfisher.CacheType.memory)", "no task"])
    }

    @Test(arguments: [[], [.allowedSources([])], [.forceRefresh]] as [KingfisherOptionsInfo])
    func `only a memory hit that the options allow is delivered without a task`(
        options: KingfisherOptionsInfo
    ) async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url)
        let manager = bench.manager
        let seen = Locked<(type: CacheType?, isInTask: Bool)?>(nil)
        let done = Gate()
        DispatchQueue.main.async {
            manager.retrieveImage(with: url, options: options + [.callbackQueue(.untouch)]) {
                result in
                let isInTask = withUnsafeCurrentTask { $0 != nil }
                seen.change { $0 = ((try? result.get())?.cacheType, isInTask) }
                done.open()
            }
        }
        await done.wait()
        #expect(seen.value?.isInTask == !options.isEmpty)
        #expect((seen.value?.type == .memory) == options.isEmpty)
    }

    /// Loads an image from memory in the completion handler of the load before.
    private final class Chain: Sendable {
        let manager: KingfisherManager
        let url: URL
        let queue: CallbackQueue
        let left: Locked<Int>
        let finished = Gate()

        init(_ manager: KingfisherManager, _ url: URL, on queue: CallbackQueue, length: Int) {
            self.manager = manager
            self.url = url
            self.queue = queue
            left = Locked(length)
        }

        func next() {
            manager.retrieveImage(with: url, options: [.callbackQueue(queue)]) { [self] result in
                #expect((try? result.get())?.cacheType == .memory)
                left.change { $0 -= 1 }
                if left.value > 0 { next() } else { finished.open() }
            }
        }
    }

    @Test(arguments: [true, false])
    func `completion handlers may load from memory without end`(onMain: Bool) async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await bench.manager.retrieveImage(with: url)
        let queue = onMain ? CallbackQueue.mainCurrentOrAsync : .untouch
        let chain = Chain(bench.manager, url, on: queue, length: 20_000)
        DispatchQueue.main.async { chain.next() }
        await chain.finished.wait()
    }

    @Test func `MGR-23: a network load gives an initialised task`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let outcome = await retrieve(url) { task in
            #expect(task?.isInitialized == true)
            #expect(task?.sessionTask?.originalURL == url)
        }
        #expect(try outcome.get().cacheType == .none)
    }

    @Test func `MGR-23: a failure without a load gives no task`() async {
        let url = bench.serveJPEG("/a.jpg")
        let outcome = await retrieve(url, options: [.onlyFromCache]) { #expect($0 == nil) }
        #expect(throws: KingfisherError.self) { try outcome.get() }
    }

    @Test func `MGR-18: the completion runs on the callback queue`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let queue = DispatchQueue(label: "callback")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        for _ in 0..<2 {
            let isThere = await withCheckedContinuation { continuation in
                bench.manager.retrieveImage(
                    with: url,
                    options: [.callbackQueue(.dispatch(queue))]
                ) { _ in
                    continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true)
                }
            }
            #expect(isThere)
        }
    }

    @Test func `MGR-53: cancelling a running download gives taskCancelled at once`() async {
        let gate = ServerGate()
        bench.server.route(
            "/slow.jpg",
            .held(gate, then: .body(TestImage.jpeg(), type: "image/jpeg"))
        )
        let url = bench.server.url("/slow.jpg")
        let outcome = await retrieve(url) { $0?.cancel() }
        guard case .failure(let error) = outcome else {
            Issue.record("a cancelled load succeeded")
            return
        }
        #expect(error.isTaskCancelled)
        #expect(!bench.cache.isCached(forKey: url.cacheKey))
        gate.open()
    }

    @Test(arguments: ["/a.jpg", "/missing.jpg"])
    func `MGR-53: a result that waits for its queue gives way to a cancel`(
        path: String
    ) async throws {
        _ = bench.serveJPEG("/a.jpg")
        let queue = HeldQueue()
        let outcomes = Locked<[Outcome]>([])
        let task = bench.manager.retrieveImage(
            with: bench.server.url(path),
            options: [.callbackQueue(.operationQueue(queue))]
        ) { outcome in
            outcomes.change { $0.append(outcome) }
        }
        let deliver = try #require(await queue.next())
        task?.cancel()
        deliver()
        let seen = outcomes.value
        guard seen.count == 1, case .failure(let error) = seen[0] else {
            Issue.record("a cancelled load ended with \(seen)")
            return
        }
        #expect(error.isTaskCancelled)
    }

    @Test func `DL-27: one caller's cancel leaves the other its image`() async throws {
        let gate = ServerGate()
        bench.server.route(
            "/slow.jpg",
            .held(gate, then: .body(TestImage.jpeg(), type: "image/jpeg"))
        )
        let url = bench.server.url("/slow.jpg")
        let tasks = Locked<[DownloadTask]>([])
        async let first = retrieve(url) { task in tasks.change { if let task { $0.append(task) } } }
        async let second = retrieve(url) { task in tasks.change { if let task { $0.append(task) } }
        }
        await bench.server.received(1)
        while tasks.value.count < 2 { await Task.yield() }
        tasks.value.first?.cancel()
        gate.open()
        let outcomes = await [first, second]
        #expect(outcomes.filter { (try? $0.get()) != nil }.count == 1)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `MGR-25: a cancel during an asynchronous modifier is kept`() async {
        struct Waiting: AsyncImageDownloadRequestModifier {
            let gate: Gate
            let onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? = nil
            func modified(for request: URLRequest) async -> URLRequest? {
                await gate.wait()
                return request
            }
        }
        let url = bench.serveJPEG("/a.jpg")
        let gate = Gate()
        let outcome = await retrieve(
            url,
            options: [.requestModifier(Waiting(gate: gate)), .asyncCacheTypeCheck]
        ) { task in
            task?.cancel()
            gate.open()
        }
        guard case .failure(let error) = outcome else {
            Issue.record("a cancelled load succeeded")
            return
        }
        #expect(error.isCancellation)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `MGR-20: progress runs on the main queue and ends at the whole`() async throws {
        let url = bench.serveJPEG("/a.jpg", width: 600, height: 400)
        let seen = Locked<[(Int64, Int64)]>([])
        let outcome: Outcome = await withCheckedContinuation { continuation in
            bench.manager.retrieveImage(
                with: url,
                progressBlock: { received, total in
                    seen.change { $0.append((received, total)) }
                },
                completionHandler: { continuation.resume(returning: $0) }
            )
        }
        let bytes = try #require(outcome.get().data()).count
        #expect(seen.value.last?.0 == Int64(bytes))
        #expect(seen.value.allSatisfy { $0.1 == Int64(bytes) })
    }
}

/// Keeps its blocks for the test to run.
private final class HeldQueue: CallbackOperationQueue {
    private let blocks = AsyncStream.makeStream(of: (@Sendable () -> Void).self)

    var underlyingQueue: DispatchQueue? { nil }

    func addOperation(_ block: @Sendable @escaping () -> Void) { blocks.continuation.yield(block) }

    /// Waits for the next block.
    func next() async -> (@Sendable () -> Void)? {
        for await block in blocks.stream { return block }
        return nil
    }
}
