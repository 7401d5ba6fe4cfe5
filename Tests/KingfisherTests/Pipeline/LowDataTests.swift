import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
import KingfisherTesting
#endif

@Suite(.timeLimit(.minutes(1)))
struct LowDataTests {
    let bench: TestBench
    let full: URL
    let small: URL

    init() throws {
        bench = try TestBench()
        full = bench.serveJPEG("/full.jpg", width: 640, height: 480)
        small = bench.serveJPEG("/small.jpg", width: 64, height: 48)
    }

    private func load(_ options: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
        try await bench.manager.retrieveImage(
            with: full,
            options: [.lowDataMode(.network(small))] + options
        )
    }

    @Test func `MGR-44: a metered network takes the low-data source`() async throws {
        bench.downloader.isNetworkConstrained = { true }
        let result = try await load([])
        #expect(result.source == .network(small))
        #expect(result.originalSource == .network(full))
        #expect(result.image.size == CGSize(width: 64, height: 48))
        #expect(bench.server.requests(for: "/full.jpg").isEmpty)
        #expect(!bench.cache.isCached(forKey: full.cacheKey))
    }

    @Test func `MGR-44: the machine's meter is asked where no other was named`() async throws {
        let meter = NetworkMeter()
        bench.downloader.networkMeter = meter
        #expect(try await load([.forceRefresh]).source == .network(full))
        meter.ask { true }
        #expect(try await load([.forceRefresh]).source == .network(small))
        bench.downloader.isNetworkConstrained = { false }
        #expect(try await load([.forceRefresh]).source == .network(full))
    }

    @Test func `MGR-44: a transport's refusal takes the low-data source`() async throws {
        let folder = try TemporaryDirectory()
        let transport = FakeTransport()
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "metered", transport: transport),
            cache: try ImageCache(name: "metered", cacheDirectoryURL: folder.url)
        )
        let load = Task { [full, small] in
            try await manager.retrieveImage(
                with: full,
                options: [.lowDataMode(.network(small))]
            )
        }
        await transport.started(1)
        let refused = try transport.transfer(0)
        #expect(!refused.settings.allowsConstrainedNetwork)
        refused.finish(.rejected(reason: ConstrainedNetworkError(), url: full))
        await transport.started(2)
        #expect(try transport.transfer(1).request.url == small)
        try transport.transfer(1).complete(TestImage.jpeg())
        #expect(try await load.value.source == .network(small))
    }

    @Test func `MGR-41: each of many loads takes each source once`() async {
        struct Failing: ImageDataProvider {
            struct Refusal: Error {}
            let cacheKey: String
            let runs = Locked(0)
            func data() async throws -> Data {
                runs.change { $0 += 1 }
                throw Refusal()
            }
        }
        bench.downloader.isNetworkConstrained = { true }
        let providers = ["low", "first", "second"].map { Failing(cacheKey: $0) }
        let options: KingfisherOptionsInfo = [
            .lowDataMode(.provider(providers[0])),
            .alternativeSources(providers.dropFirst().map { .provider($0) }),
        ]
        let (manager, full) = (bench.manager, full)
        let lists = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        _ = try await manager.retrieveImage(with: full, options: options)
                        return ["an image"]
                    } catch KingfisherError.imageSettingError(
                        reason: .alternativeSourcesExhausted(let list)
                    ) {
                        return list.map(\.source.cacheKey)
                    } catch {
                        return ["\(error)"]
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(lists == Array(repeating: ["low", "first", "second"], count: 50))
        #expect(providers.map(\.runs.value) == [50, 50, 50])
    }

    @Test func `MGR-44: a network without a meter loads what was asked for`() async throws {
        bench.downloader.isNetworkConstrained = { false }
        #expect(try await load([]).source == .network(full))
        #expect(bench.server.requests(for: "/small.jpg").isEmpty)
    }

    @Test func `MGR-44: without a low-data source the meter is not asked`() async throws {
        bench.downloader.isNetworkConstrained = { true }
        let result = try await bench.manager.retrieveImage(with: full)
        #expect(result.source == .network(full))
    }

    @Test func `MGR-44: a cached image is no reason to ask the network`() async throws {
        _ = try await load([])
        bench.downloader.isNetworkConstrained = { true }
        let result = try await load([])
        #expect(result.cacheType == .memory)
        #expect(result.source == .network(full))
    }

    @Test func `MGR-44: the low-data source is taken once, then alternatives`() async throws {
        let provider = RawImageDataProvider(data: TestImage.png(), cacheKey: "raw")
        bench.downloader.isNetworkConstrained = { true }
        // The second source is refused as well, so the failure is its own, and is listed.
        let result = try await load([.alternativeSources([.provider(provider)])])
        #expect(result.source == .network(small))

        bench.server.route("/small.jpg", .status(500))
        bench.cache.clearMemoryCache()
        await bench.cache.clearDiskCache()
        let next = try await load([.alternativeSources([.provider(provider)])])
        #expect(next.source == .provider(provider))
    }

    @Test func `MGR-44: the metered failure is not in the list of alternatives`() async {
        bench.downloader.isNetworkConstrained = { true }
        bench.server.route("/small.jpg", .status(500))
        bench.server.route("/404", .status(404))
        let missing = bench.server.url("/404")
        let error = await #expect(throws: KingfisherError.self) {
            try await load([.alternativeSources([.network(missing)])])
        }
        guard
            case .imageSettingError(reason: .alternativeSourcesExhausted(let errors))? = error
        else {
            Issue.record("unexpected error \(String(describing: error))")
            return
        }
        #expect(errors.map(\.source) == [.network(small), .network(missing)])
    }

    @Test func `MGR-45: the retry strategy is asked before the low-data source`() async throws {
        let seen = Locked<[String]>([])
        bench.downloader.isNetworkConstrained = {
            seen.change { $0.append("meter") }
            return true
        }
        let strategy = AskingRetry(seen: seen)
        _ = try await load([.retryStrategy(strategy)])
        #expect(seen.value == ["meter", "retry 0", "meter", "stop 1"])
    }

    @Test func `PRE-15: a prefetcher takes no low-data source`() async throws {
        let gate = Gate()
        let completed = Locked<[Source]>([])
        bench.downloader.isNetworkConstrained = { true }
        let prefetcher = ImagePrefetcher(
            sources: [.network(full)],
            options: [.lowDataMode(.network(small))],
            manager: bench.manager,
            progress: nil
        ) { _, _, done in
            completed.change { $0 = done }
            gate.open()
        }
        prefetcher.start()
        await gate.wait()
        #expect(completed.value == [.network(full)])
        #expect(bench.server.requests(for: "/small.jpg").isEmpty)
    }

    /// Retries once, and notes when it is asked.
    private struct AskingRetry: RetryStrategy {
        let seen: Locked<[String]>

        func retry(
            context: RetryContext,
            retryHandler: @escaping @Sendable (RetryDecision) -> Void
        ) {
            let count = context.retriedCount
            seen.change { $0.append("\(count == 0 ? "retry" : "stop") \(count)") }
            retryHandler(count == 0 ? .retry(userInfo: nil) : .stop)
        }
    }
}
