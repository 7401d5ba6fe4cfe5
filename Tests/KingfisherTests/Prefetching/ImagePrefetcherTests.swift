import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct ImagePrefetcherTests: PrefetchBench {
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    @Test func `PRE-3 PRE-5: cached, good and bad items are listed separately`() async throws {
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

    @Test func `an image on disk alone is loaded if the options accept memory alone`() async throws
    {
        let sources = pictures(1)
        _ = try await bench.manager.retrieveImage(with: sources[0], options: [.waitForCache])
        bench.cache.clearMemoryCache()
        let (prefetcher, run) = prefetcher(sources, options: [.fromMemoryCacheOrRefresh])
        prefetcher.start()
        #expect(try await run.lists().completed == sources)
        #expect(bench.cache.imageCachedType(forKey: sources[0].cacheKey) == .memory)
    }

    @Test func `a hundred prefetchers of the same URLs send each request once`() async throws {
        let transport = FakeTransport()
        transport.answerOthers(with: .data(TestImage.jpeg(), type: "image/jpeg"))
        let downloader = ImageDownloader(name: "instant", transport: transport)
        let manager = KingfisherManager(downloader: downloader, cache: bench.cache)
        let sources = (0..<4).compactMap { URL(string: "http://host/\($0).jpg") }
            .map { Source.network($0) }
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        ImagePrefetcher(
                            sources: sources,
                            options: nil,
                            manager: manager,
                            completionHandler: { _, failed, _ in
                                #expect(failed.isEmpty)
                                continuation.resume()
                            }
                        ).start()
                    }
                }
            }
        }
        #expect(transport.requests.count == 4)
        #expect(downloader.downloads.isEmpty)
    }

    @Test func `a hundred prefetchers share slow downloads`() async throws {
        let gate = ServerGate()
        let body = TestImage.jpeg()
        bench.server.fallback { _ in .held(gate, then: .body(body)) }
        let sources = (0..<4).map { Source.network(bench.server.url("/\($0)")) }
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { [bench] in
                    await withCheckedContinuation { continuation in
                        ImagePrefetcher(
                            sources: sources,
                            options: nil,
                            manager: bench.manager,
                            completionHandler: { _, _, _ in continuation.resume() }
                        ).start()
                    }
                }
            }
            await gate.reached(4)
            gate.open()
        }
        #expect(bench.server.requests.count == 4)
    }

    @Test func `PRE-2: the number of concurrent items is limited, each end starts the next`()
        async throws
    {
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
        let lists = try await run.lists()
        #expect(lists.failed.isEmpty)
        #expect(lists.completed.count == 4)
    }

    @Test func `PRE-2 PRE-7: with one at a time the lists are in order`() async throws {
        let sources = pictures(6)
        let (prefetcher, run) = prefetcher(sources, width: 1)
        prefetcher.start()
        #expect(try await run.lists().completed == sources)
    }

    @Test func `PRE-3: forceRefresh loads cached items`() async throws {
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

    @Test(arguments: [CacheType.none, .disk, .memory])
    func `PRE-3: alsoPrefetchToMemory applies the image modifier`(
        to layer: CacheType
    ) async throws {
        let sources = pictures(1)
        if layer != .none {
            _ = try await bench.manager.retrieveImage(with: sources[0], options: [.waitForCache])
        }
        if layer == .disk { bench.cache.clearMemoryCache() }
        let count = Locked(0)
        let modifier = AnyImageModifier { image in
            count.change { $0 += 1 }
            return image
        }
        let options: KingfisherOptionsInfo = [.alsoPrefetchToMemory, .imageModifier(modifier)]
        let (prefetcher, run) = prefetcher(sources, options: options)
        prefetcher.start()
        _ = try await run.lists()
        #expect(count.value == 1)
    }

    @Test func `PRE-13: a file that is not an image any more is loaded again`() async throws {
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

    @Test func `PRE-6: the overloads for resources list network items only`() async throws {
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

    @Test(arguments: [true, false])
    func `PRE-15: alternatives do not apply, nor do those of the manager`(
        isDefault: Bool
    ) async throws {
        bench.server.route("/404", .status(404))
        let missing = Source.network(bench.server.url("/404"))
        let other = bench.serveJPEG("/b.jpg")
        let options: KingfisherOptionsInfo = [.alternativeSources([.network(other)])]
        if isDefault { bench.manager.defaultOptions = options }
        let (prefetcher, run) = prefetcher([missing], options: isDefault ? [] : options)
        prefetcher.start()
        #expect(try await run.lists().failed == [missing])
        #expect(bench.server.requests.map(\.path) == ["/404"])
        #expect(!bench.cache.isCached(forKey: other.cacheKey))
    }

    /// Retries once and counts its calls.
    private struct RetryingOnce: RetryStrategy {
        let asked = Locked(0)

        func retry(
            context: RetryContext,
            retryHandler: @escaping @Sendable (RetryDecision) -> Void
        ) {
            asked.change { $0 += 1 }
            retryHandler(context.retriedCount == 0 ? .retry(userInfo: nil) : .stop)
        }
    }

    @Test func `PRE-15 MGR-46: a caller that is stale gives up, the prefetch of its URL does not`()
        async throws
    {
        let gate = ServerGate()
        let asked = Locked(0)
        bench.server.route("/a.jpg") { _ in
            asked.change { $0 += 1 }
            return asked.value == 1 ? .held(gate, then: .status(500)) : .body(TestImage.jpeg())
        }
        let url = bench.server.url("/a.jpg")
        let (own, staleOwn) = (RetryingOnce(), RetryingOnce())
        let (prefetcher, run) = prefetcher([.network(url)], options: [.retryStrategy(own)])
        prefetcher.start()
        await bench.server.received(1)
        let isWanted = Locked(true)
        let manager = bench.manager
        let list = manager.resolved([.forceRefresh, .retryStrategy(staleOwn)])
        let request = manager.request(
            .network(url),
            KingfisherParsedOptionsInfo(list),
            isStillWanted: { isWanted.value }
        )
        let stale = Task.immediate { try await manager.load(request) }
        isWanted.change { $0 = false }
        gate.open()
        await #expect(throws: KingfisherError.self) { try await stale.value }
        #expect(try await run.lists().completed == [.network(url)])
        #expect(own.asked.value == 1)
        #expect(staleOwn.asked.value == 0)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `an image whose file someone else removed is loaded again`() async throws {
        let sources = pictures(1)
        _ = try await bench.manager.retrieveImage(with: sources[0], options: [.waitForCache])
        bench.cache.clearMemoryCache()
        let path = bench.cache.cachePath(forKey: sources[0].cacheKey)
        try FileManager.default.removeItem(atPath: path)
        let (prefetcher, run) = prefetcher(sources, options: [.waitForCache])
        prefetcher.start()
        #expect(try await run.lists().completed == sources)
        #expect(bench.server.requests.count == 2)
        #expect(FileManager.default.fileExists(atPath: path))
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

    @Test func `downloads have a lower priority unless the options name one`() async throws {
        for (options, expected) in [([], 0.25), ([.downloadPriority(0.9)], 0.9)]
            as [(KingfisherOptionsInfo, Float)]
        {
            let transport = FakeTransport()
            let downloader = ImageDownloader(name: "fake", transport: transport)
            let manager = KingfisherManager(downloader: downloader, cache: bench.cache)
            let run = PrefetchRun()
            let prefetcher = ImagePrefetcher(
                sources: [.network(bench.server.url("/priority-\(expected)"))],
                options: options,
                manager: manager,
                progress: nil,
                completion: run.end
            )
            prefetcher.start()
            await transport.started(1)
            #expect(try transport.transfer(0).settings.priority == expected)
            try transport.transfer(0).complete(TestImage.jpeg())
            #expect(try await run.lists().completed.count == 1)
        }
    }
}
