import Foundation
import Testing

@testable import Kingfisher

struct KingfisherParsedOptionsInfoTests {
    @Test func `OPT-1: a later item wins`() {
        let options = KingfisherParsedOptionsInfo([.scaleFactor(2), .scaleFactor(3)])
        #expect(options.scaleFactor == 3)
    }

    @Test func `OPT-2: a flag stays on`() {
        let options = KingfisherParsedOptionsInfo([.forceRefresh, .scaleFactor(2)])
        #expect(options.forceRefresh)
    }

    @Test func `OPT-3: the defaults`() {
        let options = KingfisherParsedOptionsInfo(nil)
        #expect(options.targetCache == nil)
        #expect(options.downloader == nil)
        #expect(options.transition.isNone)
        #expect(options.downloadPriority == 0.5)
        #expect(options.scaleFactor == 1)
        #expect(options.processor.identifier.isEmpty)
        #expect(options.processingQueue == nil)
        #expect(options.alternativeSources == nil)
        #expect(options.forcedExtension == nil)
        #expect(options.onFailureImage == nil)
        let flags = [
            options.forceRefresh, options.fromMemoryCacheOrRefresh, options.forceTransition,
            options.cacheMemoryOnly, options.waitForCache, options.onlyFromCache,
            options.backgroundDecode, options.preloadAllAnimationData, options.onlyLoadFirstFrame,
            options.keepCurrentImageWhileLoading, options.cacheOriginalImage,
            options.alsoPrefetchToMemory, options.loadDiskFileSynchronously,
            options.asyncCacheTypeCheck,
        ]
        #expect(!flags.contains(true))
    }

    @Test func `OPT-5: an empty failure image is present`() {
        let options = KingfisherParsedOptionsInfo([.onFailureImage(nil)])
        #expect(options.onFailureImage != nil)
        #expect(options.onFailureImage == .some(.none))
    }

    @Test func `OPT-11: creating options follow`() {
        let options = KingfisherParsedOptionsInfo([
            .scaleFactor(2), .preloadAllAnimationData, .onlyLoadFirstFrame,
        ])
        let expected = ImageCreatingOptions(scale: 2, preloadAll: true, onlyFirstFrame: true)
        #expect(options.imageCreatingOptions == expected)
    }

    @Test func `OPT-17: renamed items land in the property of their meaning`() throws {
        let url = try #require(URL(string: "https://example.com/low.png"))
        let options = KingfisherParsedOptionsInfo([
            .lowDataMode(.network(url)), .forcedCacheFileExtension("jpg"),
            .memoryCacheExpiration(.seconds(5)), .downloadPriority(0.9), .waitForCache,
        ])
        #expect(options.lowDataModeSource == .network(url))
        #expect(options.forcedExtension == "jpg")
        #expect(options.downloadPriority == 0.9)
        #expect(options.waitForCache)
    }

    @Test(arguments: [CGFloat.nan, .infinity, 0, -2])
    func `a scale that no screen has counts as one`(scale: CGFloat) {
        var options = KingfisherParsedOptionsInfo([.scaleFactor(scale)])
        #expect(options.scaleFactor == 1)
        options.scaleFactor = 2
        options.scaleFactor = scale
        #expect(options.scaleFactor == 1)
    }
}
