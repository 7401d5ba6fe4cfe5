import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// The ways of calling a prefetcher.
@Suite(.timeLimit(.minutes(1)))
struct PrefetchCallTests: PrefetchBench {
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    private var options: KingfisherOptionsInfo {
        [.downloader(bench.downloader), .targetCache(bench.cache)]
    }

    /// Waits for the completion of a prefetcher of two images and returns how often it was called.
    private func calls(
        _ make: ([URL], @escaping @Sendable () -> Void) -> ImagePrefetcher
    ) async -> Int {
        let urls = pictures(2).compactMap(\.url)
        let count = Locked(0)
        let ended = Gate()
        let prefetcher = make(urls) {
            count.change { $0 += 1 }
            ended.open()
        }
        await prefetcher.prefetch()
        await ended.wait()
        // The main queue is in order, so another call would have arrived.
        await MainActor.run {}
        return count.value
    }

    @Test func `PRE-20: a trailing closure is the completion handler`() async {
        let options = options
        let ways: [([URL], @escaping @Sendable () -> Void) -> ImagePrefetcher] = [
            { urls, ended in ImagePrefetcher(urls: urls, options: options) { _, _, _ in ended() } },
            { urls, ended in
                ImagePrefetcher(resources: urls, options: options) { _, _, _ in ended() }
            },
            { urls, ended in
                ImagePrefetcher(sources: urls.map { .network($0) }, options: options) { _, _, _ in
                    ended()
                }
            },
            { [bench] urls, ended in
                ImagePrefetcher(urls: urls, manager: bench.manager) { _, _, _ in ended() }
            },
            { urls, ended in
                ImagePrefetcher(urls: urls, options: options, progressBlock: nil) { _, _, _ in
                    ended()
                }
            },
            { urls, ended in
                ImagePrefetcher(
                    urls: urls,
                    options: options,
                    completionHandler: { _, _, _ in
                        ended()
                    }
                )
            },
        ]
        for way in ways { #expect(await calls(way) == 1) }
    }

    @Test func `PRE-20: a named progress block is called for each item`() async {
        let options = options
        let count = Locked(0)
        let both = await calls { urls, ended in
            ImagePrefetcher(
                urls: urls,
                options: options,
                progressBlock: { _, _, _ in count.change { $0 += 1 } },
                completionHandler: { _, _, _ in ended() }
            )
        }
        #expect(both == 1)
        #expect(count.value == 2)
    }

    @Test func `PRE-21: prefetch returns what became of each item`() async throws {
        bench.server.route("/404", .status(404))
        let sources = pictures(2) + [.network(bench.server.url("/404"))]
        _ = try await bench.manager.retrieveImage(with: sources[0], options: [.waitForCache])
        let prefetcher = ImagePrefetcher(sources: sources, manager: bench.manager)
        async let twice = prefetcher.prefetch()
        let result = await prefetcher.prefetch()
        #expect(result.skipped == [sources[0]])
        #expect(result.completed == [sources[1]])
        #expect(result.failed == [sources[2]])
        #expect(await twice.completed == result.completed)
        #expect(await prefetcher.prefetch().failed == result.failed)
        #expect(bench.server.requests(for: "/404").count == 1)
    }

    @Test func `PRE-21: a cancelled task stops the prefetcher`() async {
        let gate = ServerGate()
        bench.server.route("/0", .held(gate, then: .body(TestImage.jpeg())))
        let sources: [Source] = [.network(bench.server.url("/0"))] + pictures(3)[1...]
        let prefetcher = ImagePrefetcher(sources: sources, manager: bench.manager)
        prefetcher.maxConcurrentDownloads = 1
        let task = Task { await prefetcher.prefetch() }
        await gate.reached()
        task.cancel()
        let result = await task.value
        #expect(result.failed == sources)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `PRE-21: a prefetcher that was stopped before loads nothing`() async {
        let sources = pictures(3)
        let prefetcher = ImagePrefetcher(sources: sources, manager: bench.manager)
        prefetcher.stop()
        #expect(await prefetcher.prefetch().failed == sources)
        let cancelled = ImagePrefetcher(sources: sources, manager: bench.manager)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await cancelled.prefetch()
        }
        #expect(await task.value.failed == sources)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `PRE-5 PRE-9: a prefetcher that was stopped before completes once`() async throws {
        let sources = pictures(3)
        let (prefetcher, run) = prefetcher(sources)
        prefetcher.stop()
        for _ in 0..<2 { #expect(await prefetcher.prefetch().failed == sources) }
        #expect(try await run.lists().failed == sources)
        await MainActor.run {}
        #expect(run.ends.value.count == 1)
        #expect(bench.server.requests.isEmpty)
    }

    @Test(arguments: [true, false])
    func `observers learn what a prefetch misses`(looksUp: Bool) async throws {
        let misses = Locked<[String]>([])
        let observation = bench.manager.observeLoads { event in
            guard case .miss(let layer, let reason) = event.kind else { return }
            misses.change { $0.append("\(layer): \(reason)") }
        }
        let url = bench.serveJPEG("/a.jpg")
        for _ in 0..<2 {
            let prefetcher = ImagePrefetcher(
                urls: [url],
                options: looksUp ? [] : [.forceRefresh],
                manager: bench.manager
            )
            await prefetcher.prefetch()
        }
        #expect(misses.value == (looksUp ? ["memory: not stored", "disk: not stored"] : []))
        withExtendedLifetime(observation) {}
    }

    @Test(arguments: [false, true])
    func `OPT-12: with onlyFromCache nothing is downloaded`(isDefault: Bool) async throws {
        let url = bench.serveJPEG("/a.jpg")
        let only: KingfisherOptionsInfo = [.onlyFromCache]
        if isDefault { bench.manager.defaultOptions = only }
        let options = isDefault ? [] : only
        func prefetch(_ more: KingfisherOptionsInfo = []) async -> PrefetchResult {
            let prefetcher = ImagePrefetcher(
                urls: [url],
                options: options + more,
                manager: bench.manager
            )
            return await prefetcher.prefetch()
        }
        #expect(await prefetch().failed == [.network(url)])
        #expect(bench.server.requests.isEmpty)
        let stored = try #require(KFCrossPlatformImage(data: TestImage.jpeg()))
        try await bench.cache.store(stored, original: TestImage.jpeg(), forKey: url.cacheKey)
        #expect(await prefetch().skipped == [.network(url)])
        // An image made of a cached original needs no network.
        #expect(
            await prefetch([.processor(BlurImageProcessor(blurRadius: 1))]).completed
                == [.network(url)]
        )
        #expect(bench.server.requests.isEmpty)
    }
}
