import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// A program whose main thread waits until its loads have ended.
@Suite(.timeLimit(.minutes(2)))
struct BlockedMainThreadTests {
    @Test func `RTY-12 CAC-23: nothing in the core waits for the main queue`() async {
        await #expect(processExitsWith: .success) {
            let blocked = DispatchSemaphore(value: 0)
            let isBlocked = Gate()
            DispatchQueue.main.async {
                isBlocked.open()
                blocked.wait()
            }
            await isBlocked.wait()
            // Ends a process that hangs, with the name of the step.
            let step = Locked("before")
            DispatchQueue.global().asyncAfter(deadline: .now() + 30) {
                fatalError("waited for the main queue \(step.value)")
            }
            for (name, work) in try BlockedMainThreadTests.steps() {
                step.change { $0 = name }
                try await work()
            }
            _exit(EXIT_SUCCESS)
        }
    }

    private typealias Step = (name: String, work: @Sendable () async throws -> Void)

    private static func steps() throws -> [Step] {
        let bench = try TestBench()
        let network = FakeNetwork()
        let url = bench.serveJPEG("/a.jpg")
        let file = bench.folder.file("a.jpg")
        try TestImage.jpeg(width: 8, height: 8).write(to: file)
        let manager = bench.manager
        let cache = bench.cache
        return [
            (
                "for the delay of a retry",
                { try await load(FailingOnce(bench), by: manager, delay(0.001)) }
            ),
            (
                "for the delay that a server asks for",
                { try await load(FailingOnce(bench, after: "1"), by: manager, delay(0)) }
            ),
            (
                "for a network",
                {
                    let monitor = network.monitor()
                    let strategy = NetworkRetryStrategy(
                        timeoutInterval: nil,
                        networkMonitor: monitor
                    )
                    async let loaded: Void = load(FailingOnce(bench), by: manager, strategy)
                    while monitor.observerCount == 0 { await Task.yield() }
                    network.set(true)
                    try await loaded
                }
            ),
            (
                "for a completion on the calling thread",
                {
                    await withCheckedContinuation { done in
                        manager.retrieveImage(
                            with: url,
                            options: [
                                .callbackQueue(.untouch),
                                .processor(BlurImageProcessor(blurRadius: 2)),
                            ],
                            progressBlock: { _, _ in }
                        ) { _ in done.resume() }
                    }
                }
            ),
            (
                "for a provider",
                {
                    let provider = LocalFileImageDataProvider(fileURL: file)
                    _ = try await manager.retrieveImage(with: .provider(provider))
                }
            ),
            (
                "for a prefetch",
                {
                    let urls = [bench.serveJPEG("/b.jpg")]
                    await ImagePrefetcher(urls: urls, manager: manager).prefetch()
                }
            ),
            ("for the size of the cache", { _ = try await cache.diskStorageSize }),
            (
                "to clean or clear the cache",
                {
                    await cache.cleanExpiredDiskCache()
                    await cache.cleanExpiredCache()
                    await cache.clearDiskCache()
                    await cache.clearCache()
                }
            ),
        ]
    }

    private static func delay(_ seconds: TimeInterval) -> DelayRetryStrategy {
        DelayRetryStrategy(maxRetryCount: 3, retryInterval: .seconds(seconds))
    }

    private static func load(
        _ failing: FailingOnce,
        by manager: KingfisherManager,
        _ strategy: any RetryStrategy
    ) async throws {
        _ = try await manager.retrieveImage(
            with: .network(failing.url),
            options: [.retryStrategy(strategy), .callbackQueue(.untouch)]
        )
    }

    /// A URL whose first request fails.
    private struct FailingOnce {
        let url: URL

        init(_ bench: TestBench, after seconds: String? = nil) {
            let path = "/\(UInt64.random(in: 0...UInt64.max)).jpg"
            let asked = Locked(0)
            let fields = seconds.map { [("Retry-After", $0)] } ?? []
            bench.server.route(path) { _ in
                asked.change { $0 += 1 }
                return asked.value > 1
                    ? .body(TestImage.jpeg(width: 20, height: 10), type: "image/jpeg")
                    : .status(503, fields: fields)
            }
            url = bench.server.url(path)
        }
    }
}
