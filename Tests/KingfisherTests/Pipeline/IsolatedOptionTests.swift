import Foundation
import KFCodecs
import TestSupport
import Testing

@testable import Kingfisher

/// Loads with `.isolated` and every other option that has to do with decoding: no file is decoded in
/// this process, then and later.
///
/// `Scripts/isolation.sh` runs these tests under a spy, which sees it.
@Suite(.enabled(if: WorkerBench.isPossible), .serialized, .timeLimit(.minutes(5)))
struct IsolatedOptionTests {
    init() { ProcessIsolation.useProgram(at: WorkerBench.program.path) }

    private static let names = [
        "animated.gif", "animated.webp", "animated.png", "animated.avif", "profile.avif",
        "still.gif", "cmyk.jpg", "png.ico",
    ]

    private static let size = CGSize(width: 9, height: 9)

    private static let processors: [any ImageProcessor] = [
        DefaultImageProcessor.default,
        AnimatedImageProcessor(ResizingImageProcessor(referenceSize: size)),
        ResizingImageProcessor(referenceSize: size),
        ProfileKeepingProcessor(), ViewSizeProcessor(size: size, covers: true),
        DefaultImageProcessor.default |> RotatingImageProcessor(degrees: 0), HalfSize(),
    ]

    private static let options: [KingfisherOptionsInfo] = [
        [], [.preloadAllAnimationData], [.onlyLoadFirstFrame], [.cacheOriginalImage],
        [.backgroundDecode], [.loadDiskFileSynchronously],
        [.processingQueue(.dispatch(.global()))],
        [.cacheSerializer(FormatIndicatedCacheSerializer.webp(compressionQuality: 0.5))],
        [.cacheSerializer(FormatIndicatedCacheSerializer.gif)],
    ]

    @Test(arguments: names)
    func `a load with any options, and what is made of its image`(_ name: String) async throws {
        let file = try #require(
            try IsolatedDecodingTests.fixtures().first { $0.name == name }?.data
        )
        let bench = try TestBench()
        // Every option for two processors, and every processor without options.
        let first = Self.options.flatMap { extra in Self.processors[..<2].map { ($0, extra) } }
        let all = first + Self.processors[2...].map { ($0, []) }
        for (index, (processor, extra)) in all.enumerated() {
            let provider = RawImageDataProvider(data: file, cacheKey: "\(name) \(index)")
            let options: KingfisherOptionsInfo =
                [.isolated, .waitForCache, .processor(processor)] + extra
            let image = try await bench.manager.retrieveImage(
                with: .provider(provider),
                options: options
            ).image
            use(image)
            bench.cache.clearMemoryCache()
            let stored = try await bench.manager.retrieveImage(
                with: .provider(provider),
                options: options
            )
            // A still image of a GIF has no bytes that the default serializer could store.
            let isStored = stored.cacheType == .disk || isStillOfGIF(image, name)
            #expect(isStored, "\(name), \(processor.identifier), \(index)")
        }
    }

    private func isStillOfGIF(_ image: KFCrossPlatformImage, _ name: String) -> Bool {
        name.hasSuffix(".gif") && image.kf.gifRepresentation() == nil
    }

    /// Encodes and plays an image.
    private func use(_ image: KFCrossPlatformImage) {
        for format in [ImageFormat.GIF, .WebP, .PNG] {
            _ = image.kf.data(format: format, compressionQuality: 0.5)
            _ = image.kf.animationRepresentation(format: format)
        }
        let copy = KFCrossPlatformImage(bitmap: image.bitmap)
        image.kf.copyKingfisherState(to: copy)
        copy.kf.imageFrameCount = 5
        _ = copy.kf.animationRepresentation(format: .WebP)
        _ = image.kf.frameSource?.frame(at: 1)
        if let source = image.kf.frameSource {
            let again = KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
                source: source,
                options: ImageCreatingOptions(preloadAll: true)
            )
            _ = again?.kf.animationRepresentation(format: .WebP)
        }
    }

    @Test(arguments: ["animated.gif", "animated.webp", "animated.png", "animated.avif"])
    func `a preloaded animation is encoded from its frames`(_ name: String) async throws {
        let file = try #require(
            try IsolatedDecodingTests.fixtures().first { $0.name == name }?.data
        )
        let pool = WorkerBench.pool()
        let image = try await WorkerBench.image(of: file, on: pool, [.preloadAllAnimationData])
        #expect(image.images != nil)
        let here = DecoderSpy.permitting {
            DefaultImageProcessor.default.process(
                item: .data(file),
                options: KingfisherParsedOptionsInfo(nil)
            )
        }
        for format in [ImageFormat.GIF, .WebP] {
            let expected = DecoderSpy.permitting {
                here?.kf.animationRepresentation(format: format)
            }
            #expect(image.kf.animationRepresentation(format: format) == expected)
        }
        pool.stop()
    }

    @Test func `a cached animation is made again in a worker by a load without the option`()
        async throws
    {
        let bench = try TestBench()
        for name in ["animated.gif", "animated.webp"] {
            let file = try #require(
                try IsolatedDecodingTests.fixtures().first { $0.name == name }?.data
            )
            let source = Source.provider(RawImageDataProvider(data: file, cacheKey: name))
            _ = try await bench.manager.retrieveImage(with: source, options: [.isolated])
            let later = try await bench.manager.retrieveImage(
                with: source,
                options: [.preloadAllAnimationData]
            )
            #expect(later.cacheType == .memory)
            #expect(later.image.images?.count ?? 0 > 1)
            use(later.image)
        }
    }

    @Test func `a cache read with the option decodes in a worker`() async throws {
        let bench = try TestBench()
        let file = TestImage.png(width: 20, height: 10)
        try await bench.cache.storeToDisk(file, forKey: "image")
        for serializer: any CacheSerializer in [
            DefaultCacheSerializer.default, FormatIndicatedCacheSerializer.png,
        ] {
            let options = KingfisherParsedOptionsInfo([.isolated, .cacheSerializer(serializer)])
            let result = try await bench.cache.retrieveImage(forKey: "image", options: options)
            #expect(result.image?.pixelWidth == 20)
            bench.cache.clearMemoryCache()
        }
        // A worker that fails is no reason to remove the entry.
        try await bench.cache.storeToDisk(WorkerBench.file("trap", "cached"), forKey: "bad")
        let options = KingfisherParsedOptionsInfo([.isolated])
        _ = try? await bench.cache.retrieveImage(forKey: "bad", options: options)
        #expect(bench.cache.isCached(forKey: "bad"))
    }

    @Test func `a thumbnail of a file is made in a worker`() async throws {
        let folder = try TemporaryDirectory()
        let bench = try TestBench()
        for name in ["profile.avif", "animated.webp", "cmyk.jpg", "still.gif"] {
            let file = try #require(
                try IsolatedDecodingTests.fixtures().first { $0.name == name }?.data
            )
            try file.write(to: folder.file(name))
            let provider = ThumbnailImageDataProvider(url: folder.file(name), maxPixelSize: 8)
            let image = try await bench.manager.retrieveImage(
                with: .provider(provider),
                options: [.isolated]
            ).image
            #expect((1...8).contains(max(image.pixelWidth, image.pixelHeight)))
        }
    }

    @Test(arguments: [0, 20, 60, 200])
    func `headers of whole and of damaged files are read without a decoder`(_ cut: Int) async throws
    {
        let pool = WorkerBench.pool()
        for (_, file) in try IsolatedDecodingTests.fixtures() where file.count > cut {
            _ = try? await ImageFileInfo.isolated(data: file.dropLast(cut), on: pool)
            let options = KingfisherParsedOptionsInfo([.isolated])
            _ = try? ImageFileInfo(of: file.dropLast(cut), options: options)
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    /// A processor of a user's that computes its size from the header.
    private struct HalfSize: ImageProcessor {
        let identifier = "half"

        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            guard case .data(let data) = item,
                let info = try? ImageFileInfo(of: data, options: options)
            else { return DefaultImageProcessor.default.process(item: item, options: options) }
            let half = CGSize(
                width: max(1, info.size.width / 2),
                height: max(1, info.size.height / 2)
            )
            return ResizingImageProcessor(referenceSize: half).process(item: item, options: options)
        }
    }
}
