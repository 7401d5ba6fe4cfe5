import Foundation
import KingfisherTesting
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which options change which loads, seen in their results, requests and caches.
///
/// A new option gets a line in `Tests/Contract/options.txt` with the loads that it changes. If a load ignores it
/// that should not, mend that load; if its effect needs a ``Situation`` that is not here, add one.
@Suite(.timeLimit(.minutes(2)))
struct OptionReachTests {
    enum Load: String, CaseIterable {
        /// The pipeline.
        case image
        /// ``HTTPCachingStage``.
        case withHTTPCaching
        /// ``FileLoad``, for the cache's file and for one of a given encoding.
        case file
        /// ``PrefetchLoader``.
        case prefetch
        /// ``LivePhotoLoad``.
        case livePhoto
    }

    /// What the server and the caches have before a load.
    private enum Situation: String, CaseIterable {
        case missing
        case processed
        case withOriginal
        case truncated
        case refused
        case onDisk
        case inMemory
        case loadedAgain

        var options: KingfisherOptionsInfo {
            switch self {
            case .processed: [.processor(FlippingImageProcessor(.vertical))]
            case .withOriginal:
                [.processor(FlippingImageProcessor(.vertical)), .cacheOriginalImage]
            case .loadedAgain: [.forceRefresh]
            case .missing, .truncated, .refused, .onDisk, .inMemory: []
            }
        }

        var answer: FakeAnswer {
            switch self {
            case .missing, .onDisk, .inMemory: .data(TestImage.gif)
            case .processed, .withOriginal, .loadedAgain:
                .data(TestImage.png(width: 20, height: 16))
            case .truncated: .data(TestImage.png().dropLast(40))
            case .refused: .status(503)
            }
        }

        var isCached: Bool {
            switch self {
            case .onDisk, .inMemory, .loadedAgain: true
            case .missing, .processed, .withOriginal, .truncated, .refused: false
            }
        }
    }

    /// The loads that each option changes, by its name.
    private static func listed() throws -> [String: Set<String>] {
        let tests = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let file = tests.appendingPathComponent("Contract/options.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let rows = lines.filter { !$0.hasPrefix("#") }.map { line in
            let words = line.split(separator: " ").map(String.init)
            return (String(words[0].dropLast()), Set(words.dropFirst()))
        }
        return try Dictionary(rows) { _, _ in throw CocoaError(.fileReadCorruptFile) }
    }

    @Test func `every option has a line`() throws {
        let names = try EveryOptionTests().items.map { Self.name(of: $0.item) }
        #expect(try Set(Self.listed().keys) == Set(names))
        let loads = try Self.listed().values.reduce(into: Set()) { $0.formUnion($1) }
        #expect(loads == Set(Load.allCases.map(\.rawValue)))
    }

    @Test(arguments: Load.allCases)
    func `every option changes the loads of its line, and no others`(load: Load) async throws {
        let listed = try Self.listed()
        let usual = try await observe(load) { _ in [] }
        for place in try EveryOptionTests().items.indices {
            let item = try EveryOptionTests().items[place].item
            if load == .livePhoto, case .processor = item { continue }
            // See `IsolatedOptionTests`.
            if case .isolated = item { continue }
            let seen = try await observe(load) { [$0.items[place].item] }
            let name = Self.name(of: item)
            let isListed = listed[name]?.contains(load.rawValue) ?? false
            #expect((seen != usual) == isListed, "\(name) \(load.rawValue)")
        }
    }

    private static func name(of item: KingfisherOptionsInfoItem) -> String {
        String("\(item)".prefix { $0 != "(" })
    }

    /// The outcome of a load in all situations.
    private func observe(
        _ load: Load,
        _ added: (EveryOptionTests) -> KingfisherOptionsInfo
    ) async throws -> [String] {
        let (bench, options) = (try ImageTestBench(), try EveryOptionTests())
        bench.downloader.isNetworkConstrained = { true }
        var seen: [String] = []
        for situation in Situation.allCases {
            // Live photos are not processed.
            if load == .livePhoto, [.processed, .withOriginal].contains(situation) { continue }
            let url = try #require(URL(string: "https://host.test/\(situation)?token=1"))
            bench.transport.answer(url, with: situation.answer)
            if situation.isCached {
                seen.append(await run(load, url, [.waitForCache], on: bench))
                if situation == .onDisk { bench.cache.clearMemoryCache() }
            }
            bench.clock.advance(by: 60)
            let all = [.waitForCache] + situation.options + added(options)
            seen.append("\(situation) \(await run(load, url, all, on: bench))")
        }
        seen += bench.transport.transfers.map { transfer in
            let request = transfer.request
            let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
            return "\(request) \(fields) \(transfer.settings.priority) \(transfer.priorities)"
        }
        for cache in [bench.cache, options.cache] {
            seen += cache.diskStorage.store.entries.map {
                "\($0.name) \($0.size) \($0.expiry) \($0.lifetime)"
            }.sorted()
            let store = cache.memoryStorage.store
            for place in store.shards.indices {
                seen += store.shards[place].state.withLock { state in
                    state.entries.map { "\($0.key.string) \($0.expiry) \($0.cost)" }.sorted()
                }
            }
        }
        return seen + ["\(options.modifications.value)"]
    }

    private func run(
        _ load: Load,
        _ url: URL,
        _ options: KingfisherOptionsInfo,
        on bench: ImageTestBench
    ) async -> String {
        let source = Source.network(url)
        do {
            switch load {
            case .image:
                return text(try await bench.manager.retrieveImage(with: source, options: options))
            case .withHTTPCaching:
                let all = options + [.httpCaching]
                return text(try await bench.manager.retrieveImage(with: source, options: all))
            case .file:
                var files: [RetrieveDataResult] = []
                for encoding in [nil, ImageEncoding.png] {
                    files += [
                        try await bench.manager.retrieveData(
                            with: source,
                            options: options,
                            as: encoding
                        )
                    ]
                }
                return files.map { "\($0.data.count) \($0.cacheType)" }.joined(separator: ", ")
            case .prefetch:
                let loader = PrefetchLoader(manager: bench.manager, options: options)
                return "\(await loader.load(source))"
            case .livePhoto:
                let result = try await bench.manager.retrieveLivePhoto(
                    with: LivePhotoSource(urls: [url]),
                    options: options
                )
                return "\(result.cacheType) \(result.fileURLs.map(\.lastPathComponent))"
            }
        } catch {
            return "\((error as? KingfisherError)?.errorCode ?? 0)"
        }
    }

    private func text(_ result: RetrieveImageResult) -> String {
        let image = result.image
        let frames = image.kf.creatingOptions.map { "\($0)" } ?? ""
        return "\(result.cacheType) \(image.size) \(image.scale) \(result.isTruncated) \(frames)"
    }
}
