import Dispatch
import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Each item of an options list on its own.
struct EveryOptionTests {
    typealias Parsed = KingfisherParsedOptionsInfo

    private struct Redirects: ImageDownloadRedirectHandler {
        func handleHTTPRedirection(
            for task: SessionDataTask,
            response: HTTPURLResponse,
            newRequest: URLRequest
        ) async -> URLRequest? { nil }
    }

    /// An item, and whether it has set the property that belongs to it.
    struct Item {
        let item: KingfisherOptionsInfoItem
        let hasLanded: (Parsed) -> Bool

        init(_ item: KingfisherOptionsInfoItem, _ hasLanded: @escaping (Parsed) -> Bool) {
            (self.item, self.hasLanded) = (item, hasLanded)
        }
    }

    let folder: TemporaryDirectory
    let cache: ImageCache
    /// How often the image modifier was called.
    let modifications = Locked(0)
    private let downloader: ImageDownloader

    init() throws {
        folder = try TemporaryDirectory()
        cache = try ImageCache(name: "options", cacheDirectoryURL: folder.url)
        let transport = FakeTransport()
        transport.answerOthers(with: .status(500))
        downloader = ImageDownloader(name: "options", transport: transport)
    }

    /// An item for each option, with a value that has an effect.
    var items: [Item] {
        Self.flags.map { item, flag in Item(item) { $0[keyPath: flag] } } + values()
    }

    private static var flags: [(KingfisherOptionsInfoItem, WritableKeyPath<Parsed, Bool>)] {
        [
            (.forceRefresh, \.forceRefresh),
            (.fromMemoryCacheOrRefresh, \.fromMemoryCacheOrRefresh),
            (.forceTransition, \.forceTransition), (.cacheMemoryOnly, \.cacheMemoryOnly),
            (.waitForCache, \.waitForCache), (.onlyFromCache, \.onlyFromCache),
            (.backgroundDecode, \.backgroundDecode),
            (.preloadAllAnimationData, \.preloadAllAnimationData),
            (.keepCurrentImageWhileLoading, \.keepCurrentImageWhileLoading),
            (.cancelWhenSuperseded, \.cancelWhenSuperseded),
            (.onlyLoadFirstFrame, \.onlyLoadFirstFrame),
            (.cacheOriginalImage, \.cacheOriginalImage),
            (.alsoPrefetchToMemory, \.alsoPrefetchToMemory),
            (.loadDiskFileSynchronously, \.loadDiskFileSynchronously),
            (.asyncCacheTypeCheck, \.asyncCacheTypeCheck), (.httpCaching, \.httpCaching),
            (.acceptsTruncatedFiles, \.acceptsTruncatedFiles), (.isolated, \.isolated),
        ]
    }

    private func values() -> [Item] {
        let source = Source.provider(RawImageDataProvider(data: Data(), cacheKey: "k"))
        let image = KFCrossPlatformImage()
        let queue = DispatchQueue(label: "options")
        let (cache, downloader, modifications) = (cache, downloader, modifications)
        let interest = ImageInterest()
        let modifier = AnyModifier { request in
            var request = request
            request.setValue("1", forHTTPHeaderField: "X-Modified")
            return request
        }
        let imageModifier = AnyImageModifier { image in
            modifications.change { $0 += 1 }
            return image
        }
        return [
            Item(.targetCache(cache)) { $0.targetCache === cache },
            Item(.originalCache(cache)) { $0.originalCache === cache && $0.targetCache == nil },
            Item(.downloader(downloader)) { $0.downloader === downloader },
            Item(.transition(.fade(2))) {
                if case .fade(2) = $0.transition { true } else { false }
            },
            Item(.downloadPriority(0.9)) { $0.downloadPriority == 0.9 },
            Item(.interest(interest)) { $0.interest === interest },
            Item(.callbackQueue(.dispatch(queue))) {
                if case .dispatch(let other) = $0.callbackQueue { other === queue } else { false }
            },
            Item(.processingQueue(.dispatch(queue))) {
                if case .dispatch(let other)? = $0.processingQueue {
                    other === queue
                } else {
                    false
                }
            },
            Item(.scaleFactor(3)) { $0.scaleFactor == 3 },
            Item(.requestModifier(modifier)) { $0.requestModifier is AnyModifier },
            Item(.redirectHandler(Redirects())) { $0.redirectHandler is Redirects },
            Item(.processor(BlurImageProcessor(blurRadius: 1))) {
                $0.processor is BlurImageProcessor
            },
            Item(.cacheSerializer(FormatIndicatedCacheSerializer.png)) {
                $0.cacheSerializer is FormatIndicatedCacheSerializer
            },
            Item(.imageModifier(imageModifier)) { $0.imageModifier is AnyImageModifier },
            Item(.onFailureImage(image)) { $0.onFailureImage == .some(image) },
            Item(.diskStoreWriteOptions(.withoutOverwriting)) {
                $0.diskStoreWriteOptions == .withoutOverwriting
            },
            Item(.memoryCacheExpiration(.never)) {
                if case .never? = $0.memoryCacheExpiration { true } else { false }
            },
            Item(.memoryCacheAccessExtendingExpiration(.none)) {
                if case .none = $0.memoryCacheAccessExtendingExpiration { true } else { false }
            },
            Item(.diskCacheExpiration(.never)) {
                if case .never? = $0.diskCacheExpiration { true } else { false }
            },
            Item(.diskCacheAccessExtendingExpiration(.none)) {
                if case .none = $0.diskCacheAccessExtendingExpiration { true } else { false }
            },
            Item(.progressiveJPEG(ImageProgressive())) { $0.progressiveJPEG != nil },
            Item(.alternativeSources([source])) { $0.alternativeSources == [source] },
            Item(.retryStrategy(DelayRetryStrategy(maxRetryCount: 1, retryInterval: .seconds(0)))) {
                $0.retryStrategy is DelayRetryStrategy
            },
            Item(.lowDataMode(source)) { $0.lowDataModeSource == source },
            Item(.forcedCacheFileExtension("jpg")) { $0.forcedExtension == "jpg" },
            Item(.resultLimits(ResultLimits(maxSide: 9))) { $0.resultLimits.maxSide == 9 },
            Item(.allowedSources(.files)) { $0.allowedSources == SourcePolicy.files },
            Item(.cacheKeyRule(CacheKeyRule.signedURLs)) {
                $0.cacheKeyRule == CacheKeyRule.signedURLs
            },
        ]
    }

    @Test func `every option has an item here`() throws {
        let file = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }.appendingPathComponent("Sources/Kingfisher/Options/KingfisherOptionsInfo.swift")
        let declared = try String(contentsOf: file, encoding: .utf8)
            .matches(of: /^    case (\w+)/.anchorsMatchLineEndings()).map { String($0.1) }
        let items = self.items.map(\.item)
        let names = items.map { item in String("\(item)".prefix { $0 != "(" }) }
        #expect(Set(declared) == Set(names))
        #expect(names.count == declared.count)
    }

    @Test func `OPT-17: every item lands in its property, and in no other`() {
        let items = items
        let none = Parsed(nil)
        for (index, item) in items.enumerated() {
            #expect(!item.hasLanded(none), "\(item.item)")
            let alone = Parsed([item.item])
            for (other, test) in items.enumerated() where other != index {
                // The original cache falls back to the target cache, OPT-4.
                #expect(!test.hasLanded(alone), "\(item.item) in the place of \(test.item)")
            }
            #expect(item.hasLanded(alone), "\(item.item)")
        }
        #expect(items.allSatisfy { $0.hasLanded(Parsed(items.map(\.item))) || $0.isOriginalCache })
    }

    @Test func `options on which decoding depends are in its key, and reach workers`() throws {
        let usual = DecodeRequest(Parsed(nil)).key
        for item in items {
            let parsed = Parsed([item.item])
            let key = DecodeRequest(parsed).key
            #expect((key != usual) == item.item.isForDecoding, "\(item.item)")
            switch item.item {
            case .processor, .isolated: continue
            default: break
            }
            guard item.item.isForDecoding else { continue }
            let processor = DefaultImageProcessor.default
            let request = IsolatedRequest.image(processor, IsolatedOptions(parsed))
            let sent = try request.message(for: Data()).message
            let received = try sent.withUnsafeBytes { bytes in
                var reader = ProcessorReader(WireReader(bytes), memory: [])
                return try IsolatedRequest(from: &reader)
            }
            guard case .image(_, let options) = received else {
                Issue.record("\(received)")
                return
            }
            #expect(item.hasLanded(options.parsed(with: processor)), "\(item.item)")
        }
    }

    @Test func `OPT-1: of each kind the later item wins`() {
        let source = Source.provider(RawImageDataProvider(data: Data(), cacheKey: "other"))
        let earlier: KingfisherOptionsInfo = [
            .transition(.none), .downloadPriority(0.1), .scaleFactor(9),
            .processor(TintImageProcessor(tint: .black)), .onFailureImage(nil),
            .diskStoreWriteOptions([]), .memoryCacheExpiration(.expired),
            .diskCacheExpiration(.expired), .alternativeSources([]), .lowDataMode(source),
            .forcedCacheFileExtension(nil), .callbackQueue(.untouch), .processingQueue(.untouch),
        ]
        let later = values().filter { !$0.isOriginalCache }
        let parsed = Parsed(earlier + later.map(\.item))
        for item in later { #expect(item.hasLanded(parsed), "\(item.item)") }
    }

    @Test func `OPT-2: no item switches a flag off`() {
        let others = values().map(\.item)
        for (item, flag) in Self.flags {
            let rest = Self.flags.filter { $0.1 != flag }.map(\.0)
            #expect(Parsed([item] + others + rest)[keyPath: flag])
            var parsed = Parsed([item])
            parsed[keyPath: flag] = false
            #expect(!parsed[keyPath: flag])
        }
    }

    @Test func `OPT-3: nothing has landed in an empty list`() {
        let parsed = Parsed([])
        #expect(Self.flags.allSatisfy { !parsed[keyPath: $0.1] })
        #expect(values().allSatisfy { !$0.hasLanded(parsed) })
        #expect(parsed.processor is DefaultImageProcessor)
        #expect(parsed.cacheSerializer is DefaultCacheSerializer)
        guard case .mainCurrentOrAsync = parsed.callbackQueue,
            case .cacheTime = parsed.memoryCacheAccessExtendingExpiration,
            case .cacheTime = parsed.diskCacheAccessExtendingExpiration
        else {
            Issue.record("another default")
            return
        }
    }
}

extension KingfisherOptionsInfoItem {
    /// Whether the image that is made of given bytes depends on it.
    ///
    /// Without a default, so that a new option is placed.
    fileprivate var isForDecoding: Bool {
        switch self {
        case .processor, .scaleFactor, .preloadAllAnimationData, .onlyLoadFirstFrame, .resultLimits,
            .isolated, .acceptsTruncatedFiles:
            true
        case .allowedSources, .alsoPrefetchToMemory, .alternativeSources,
            .asyncCacheTypeCheck, .backgroundDecode, .cacheKeyRule, .cacheMemoryOnly,
            .cacheOriginalImage, .cacheSerializer, .callbackQueue, .cancelWhenSuperseded,
            .diskCacheAccessExtendingExpiration, .diskCacheExpiration,
            .diskStoreWriteOptions, .downloadPriority, .downloader, .forceRefresh,
            .forceTransition, .forcedCacheFileExtension, .fromMemoryCacheOrRefresh,
            .httpCaching, .imageModifier, .interest, .keepCurrentImageWhileLoading,
            .loadDiskFileSynchronously, .lowDataMode, .memoryCacheAccessExtendingExpiration,
            .memoryCacheExpiration, .onFailureImage, .onlyFromCache, .originalCache,
            .processingQueue, .progressiveJPEG, .redirectHandler, .requestModifier,
            .retryStrategy, .targetCache, .transition, .waitForCache:
            false
        }
    }
}

extension EveryOptionTests.Item {
    fileprivate var isOriginalCache: Bool {
        if case .originalCache = item { true } else { false }
    }
}
