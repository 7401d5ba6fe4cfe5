import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct ImagePrefetcherTests {
    typealias Lists = (skipped: [Source], failed: [Source], completed: [Source])
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    /// A prefetcher with a record of its reports.
    final class Run: Sendable {
        let reports = Locked<[Lists]>([])
        let ends = Locked<[Lists]>([])
        let onMain = Locked<[Bool]>([])
        let ended = Gate()
        /// Opened with the first report.
        let reported = Gate()

        func report(_ skipped: [Source], _ failed: [Source], _ completed: [Source]) {
            onMain.change { $0.append(MainQueue.isCurrent) }
            reports.change { $0.append((skipped, failed, completed)) }
            reported.open()
        }

        func end(_ skipped: [Source], _ failed: [Source], _ completed: [Source]) {
            onMain.change { $0.append(MainQueue.isCurrent) }
            ends.change { $0.append((skipped, failed, completed)) }
            ended.open()
        }

        /// The final lists; there must be one set of them.
        func lists() async throws -> Lists {
            await ended.wait()
            try #require(ends.value.count == 1)
            return ends.value[0]
        }
    }

    private func prefetcher(
        _ sources: [Source],
        options: KingfisherOptionsInfo = [],
        width: Int = 5
    ) -> (ImagePrefetcher, Run) {
        let run = Run()
        let prefetcher = ImagePrefetcher(
            sources: sources,
            options: options,
            manager: bench.manager,
            progress: run.report,
            completion: run.end
        )
        prefetcher.maxConcurrentDownloads = width
        return (prefetcher, run)
    }

    private func pictures(_ count: Int) -> [Source] {
        (0..<count).map { .network(bench.serveJPEG("/\($0).jpg")) }
    }

    @Test func `PRE-3 PRE-5: cached, good and bad items are told apart`() async throws {
        bench.server.route("/404", .status(404))
        let sources = pictures(3) + [.network(bench.server.url("/404"))]
        _ = try await bench.manager.retrieveImage(with: sources[0])
        _ = try await bench.manager.retrieveImage(with: sources[1], options: [.waitForCache])
        bench.cache.memoryStorage.remove(forKey: sources[1].cacheKey)
        let (prefetcher, run) = prefetcher(sources)
        prefetcher.start()
        let lists = try await run.lists()
        #expect(Set(lists.skipped) == [sources[0], sources[1]])
        #expect(lists.completed == [sources[2]])
        #expect(lists.failed == [sources[3]])
        #expect(bench.cache.isCached(forKey: sources[2].cacheKey))
        #expect(run.reports.value.count == 4)
        for (index, report) in run.reports.value.enumerated() {
            let count = report.skipped.count + report.failed.count + report.completed.count
            #expect(count == index + 1)
        }
        #expect(run.onMain.value.allSatisfy { $0 })
        #expect(bench.cache.imageCachedType(forKey: sources[1].cacheKey) == .disk)
    }

    @Test func `PRE-2: so many at once and no more, each end starts the next`() async throws {
        let gates = (0..<4).map { _ in ServerGate() }
        let body = TestImage.jpeg()
        for (index, gate) in gates.enumerated() {
            bench.server.route("/\(index)", .held(gate, then: .body(body)))
        }
        let (prefetcher, run) = prefetcher(
            (0..<4).map { .network(bench.server.url("/\($0)")) },
            width: 2
        )
        prefetcher.start()
        await bench.server.received(2)
        #expect(Set(bench.server.requests.map(\.path)) == ["/0", "/1"])
        gates[0].open()
        await bench.server.received(3)
        #expect(bench.server.requests.map(\.path).contains("/2"))
        #expect(bench.server.requests.count == 3)
        for gate in gates { gate.open() }
        #expect(try await run.lists().completed.count == 4)
    }

    @Test func `PRE-2 PRE-7: with one at a time the lists are in order`() async throws {
        let sources = pictures(6)
        let (prefetcher, run) = prefetcher(sources, width: 1)
        prefetcher.start()
        #expect(try await run.lists().completed == sources)
    }

    @Test func `PRE-3: forceRefresh loads what is cached`() async throws {
        let sources = pictures(1)
        _ = try await bench.manager.retrieveImage(with: sources[0])
        let (prefetcher, run) = prefetcher(sources, options: [.forceRefresh])
        prefetcher.start()
        #expect(try await run.lists().completed == sources)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `PRE-3: alsoPrefetchToMemory promotes disk hits`() async throws {
        let sources = pictures(1)
        _ = try await bench.manager.retrieveImage(with: sources[0], options: [.waitForCache])
        bench.cache.clearMemoryCache()
        let (prefetcher, run) = prefetcher(sources, options: [.alsoPrefetchToMemory])
        prefetcher.start()
        #expect(try await run.lists().skipped == sources)
        #expect(bench.cache.imageCachedType(forKey: sources[0].cacheKey) == .memory)
    }

    @Test func `PRE-13: a file that is no picture any more is loaded again`() async throws {
        let sources = pictures(1)
        _ = try await bench.manager.retrieveImage(with: sources[0], options: [.waitForCache])
        bench.cache.clearMemoryCache()
        let file = URL(fileURLWithPath: bench.cache.cachePath(forKey: sources[0].cacheKey))
        try FileManager.default.removeItem(at: file)
        let (prefetcher, run) = prefetcher(sources, options: [.alsoPrefetchToMemory])
        prefetcher.start()
        #expect(try await run.lists().completed == sources)
    }

    @Test func `PRE-4: the probe knows the forced extension`() async throws {
        let sources = pictures(1)
        let options: KingfisherOptionsInfo = [.forcedCacheFileExtension("jpg"), .waitForCache]
        _ = try await bench.manager.retrieveImage(with: sources[0], options: options)
        bench.cache.clearMemoryCache()
        let (prefetcher, run) = prefetcher(sources, options: options)
        prefetcher.start()
        #expect(try await run.lists().skipped == sources)
    }

    @Test func `PRE-6: the resource flavours list network items alone`() async throws {
        let file = bench.folder.file("a.png")
        try TestImage.png().write(to: file)
        let url = bench.serveJPEG("/a.jpg")
        let seen = Locked<[[URL]]>([])
        let ended = Gate()
        let prefetcher = ImagePrefetcher(
            urls: [url, file],
            options: [.targetCache(bench.cache), .downloader(bench.downloader)],
            completionHandler: { skipped, failed, completed in
                seen.change { $0 = [skipped, failed, completed].map { $0.map(\.downloadURL) } }
                ended.open()
            }
        )
        prefetcher.start()
        await ended.wait()
        #expect(seen.value == [[], [], [url]])
        #expect(bench.cache.isCached(forKey: file.cacheKey))
    }

    @Test func `PRE-8: no items end at once`() async throws {
        let (prefetcher, run) = prefetcher([])
        prefetcher.start()
        let lists = try await run.lists()
        #expect(lists.skipped.isEmpty && lists.failed.isEmpty && lists.completed.isEmpty)
    }

    @Test func `PRE-9: stop fails what runs and what never began`() async throws {
        let gate = ServerGate()
        bench.server.fallback { _ in .held(gate, then: .body(TestImage.jpeg())) }
        let sources: [Source] = (0..<6).map { .network(bench.server.url("/\($0)")) }
        let (prefetcher, run) = prefetcher(sources, width: 2)
        prefetcher.start()
        await bench.server.received(2)
        prefetcher.stop()
        let lists = try await run.lists()
        #expect(Set(lists.failed) == Set(sources))
        #expect(bench.server.requests.count == 2)
        prefetcher.stop()
        gate.open()
    }

    @Test func `PRE-9: a finished prefetcher ignores stop and start`() async throws {
        let (prefetcher, run) = prefetcher(pictures(2))
        prefetcher.start()
        _ = try await run.lists()
        prefetcher.stop()
        prefetcher.start()
        #expect(run.ends.value.count == 1)
    }

    @Test func `PRE-12: stop ends a chain of skips too`() async throws {
        let sources = pictures(40)
        for source in sources.prefix(20) {
            _ = try await bench.manager.retrieveImage(with: source)
        }
        let served = bench.server.requests.count
        let (prefetcher, run) = prefetcher(sources, width: 1)
        prefetcher.start()
        await run.reported.wait()
        prefetcher.stop()
        let lists = try await run.lists()
        let count = lists.skipped.count + lists.failed.count + lists.completed.count
        #expect(count == 40)
        #expect(bench.server.requests.count <= served + lists.completed.count + 1)
    }

    @Test func `PRE-10: a success counts also after stop`() async throws {
        // The modifier runs when the image is stored already: past every point of cancelling.
        let held = Locked<ImagePrefetcher?>(nil)
        let stopping = AnyImageModifier { image in
            held.value?.stop()
            return image
        }
        let sources = pictures(3)
        let (prefetcher, run) = prefetcher(sources, options: [.imageModifier(stopping)], width: 1)
        held.change { $0 = prefetcher }
        prefetcher.start()
        let lists = try await run.lists()
        #expect(lists.completed == [sources[0]])
        #expect(lists.failed == [sources[1], sources[2]])
        held.change { $0 = nil }
    }

    @Test func `PRE-14: retries repeat the load, and not after stop`() async throws {
        struct Stopping: RetryStrategy {
            let asked = Locked(0)
            let stop = Locked<ImagePrefetcher?>(nil)
            func retry(
                context: RetryContext,
                retryHandler: @escaping @Sendable (RetryDecision) -> Void
            ) {
                asked.change { $0 += 1 }
                if asked.value == 3 { stop.value?.stop() }
                retryHandler(.retry(userInfo: nil))
            }
        }
        bench.server.route("/500", .status(500))
        let strategy = Stopping()
        let (prefetcher, run) = prefetcher(
            [.network(bench.server.url("/500"))],
            options: [.retryStrategy(strategy)]
        )
        strategy.stop.change { $0 = prefetcher }
        prefetcher.start()
        #expect(try await run.lists().failed.count == 1)
        #expect(bench.server.requests.count == 3)
        strategy.stop.change { $0 = nil }
    }

    @Test func `PRE-15: alternatives do not apply`() async throws {
        bench.server.route("/404", .status(404))
        let other = bench.serveJPEG("/b.jpg")
        let (prefetcher, run) = prefetcher(
            [.network(bench.server.url("/404"))],
            options: [.alternativeSources([.network(other)])]
        )
        prefetcher.start()
        #expect(try await run.lists().failed.count == 1)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `PRE-16: stop ends duplicates too`() async throws {
        let gate = ServerGate()
        bench.server.route("/a", .held(gate, then: .body(TestImage.jpeg())))
        let source = Source.network(bench.server.url("/a"))
        let (prefetcher, run) = prefetcher([source, source, source])
        prefetcher.start()
        await gate.reached()
        prefetcher.stop()
        #expect(try await run.lists().failed == [source, source, source])
    }

    @Test func `PRE-17 PRE-18: nobody has to hold it, and its blocks are freed`() async throws {
        final class Token: Sendable {}
        let ended = Gate()
        weak var token: Token?
        weak var gone: ImagePrefetcher?
        do {
            let kept = Token()
            token = kept
            let prefetcher = ImagePrefetcher(
                sources: pictures(3),
                options: [],
                manager: bench.manager,
                progress: nil,
                completion: { _, _, _ in
                    withExtendedLifetime(kept) { ended.open() }
                }
            )
            gone = prefetcher
            prefetcher.start()
        }
        await ended.wait()
        while gone != nil || token != nil { await Task.yield() }
    }

    @Test func `PRE-19: a processor's prefetch does not use a cached original`() async throws {
        let sources = pictures(1)
        _ = try await bench.manager.retrieveImage(with: sources[0], options: [.waitForCache])
        let (prefetcher, run) = prefetcher(
            sources,
            options: [.processor(DownsamplingImageProcessor(size: CGSize(width: 8, height: 8)))]
        )
        prefetcher.start()
        #expect(try await run.lists().completed == sources)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `W-44 PRE-1: the manager's default options are respected`() async throws {
        let sources = pictures(1)
        let processor = DownsamplingImageProcessor(size: CGSize(width: 8, height: 8))
        bench.manager.defaultOptions = [.processor(processor)]
        let (prefetcher, run) = prefetcher(sources)
        prefetcher.start()
        _ = try await run.lists()
        let key = sources[0].cacheKey
        #expect(bench.cache.isCached(forKey: key, processorIdentifier: processor.identifier))
    }

    @Test func `an expired memory expiration prefetches to the disk alone`() async throws {
        let sources = pictures(1)
        let (prefetcher, run) = prefetcher(
            sources,
            options: [.memoryCacheExpiration(.expired), .waitForCache]
        )
        prefetcher.start()
        #expect(try await run.lists().completed == sources)
        #expect(bench.cache.imageCachedType(forKey: sources[0].cacheKey) == .disk)
    }

    @Test func `pausing begins nothing more until resumed`() async throws {
        let gate = ServerGate()
        bench.server.route("/0", .held(gate, then: .body(TestImage.jpeg())))
        let first = Source.network(bench.server.url("/0"))
        let sources: [Source] = [first] + (1..<4).map { .network(bench.serveJPEG("/\($0).jpg")) }
        let (prefetcher, run) = prefetcher(sources, width: 1)
        prefetcher.start()
        await gate.reached()
        prefetcher.pause()
        gate.open()
        await run.reported.wait()
        #expect(bench.server.requests.count == 1)
        #expect(run.ends.value.isEmpty)
        prefetcher.resume()
        #expect(try await run.lists().completed == sources)
    }

    @Test func `a paused prefetcher can be stopped`() async throws {
        let sources = pictures(3)
        let (prefetcher, run) = prefetcher(sources)
        prefetcher.pause()
        prefetcher.start()
        prefetcher.stop()
        #expect(try await run.lists().failed.count == 3)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `downloads have a lower priority unless the options name one`() async throws {
        for (options, expected) in [([], 0.25), ([.downloadPriority(0.9)], 0.9)]
            as [(KingfisherOptionsInfo, Float)]
        {
            let transport = FakeTransport()
            let downloader = ImageDownloader(name: "fake", transport: transport)
            let manager = KingfisherManager(downloader: downloader, cache: bench.cache)
            let run = Run()
            let prefetcher = ImagePrefetcher(
                sources: [.network(bench.server.url("/priority-\(expected)"))],
                options: options,
                manager: manager,
                progress: nil,
                completion: run.end
            )
            prefetcher.start()
            await transport.started(1)
            #expect(transport.transfers[0].settings.priority == expected)
            transport.transfers[0].complete(TestImage.jpeg())
            #expect(try await run.lists().completed.count == 1)
        }
    }

    #if DEBUG
    @Test func `PRE-11: start after stop traps`() async {
        await #expect(processExitsWith: .failure) {
            let bench = try TestBench()
            let prefetcher = ImagePrefetcher(
                sources: [],
                options: nil,
                manager: bench.manager,
                progress: nil,
                completion: nil
            )
            prefetcher.stop()
            prefetcher.start()
        }
    }
    #endif
}
