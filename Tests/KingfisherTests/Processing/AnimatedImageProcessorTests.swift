import Foundation
import KFPixels
import KingfisherTesting
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

struct AnimatedImageProcessorTests {
    private let options = KingfisherParsedOptionsInfo(nil)
    private let half = ResizingImageProcessor(referenceSize: CGSize(width: 4, height: 3))

    /// The file of a processed animation.
    private func file(
        _ processor: any ImageProcessor,
        _ format: ImageFormat,
        of item: ImageProcessItem = .data(TestImage.gif)
    ) throws -> Data {
        let animated = AnimatedImageProcessor(processor, format: format)
        let image = try #require(animated.process(item: item, options: options))
        return try #require(image.kf.gifRepresentation())
    }

    @Test(arguments: [ImageFormat.GIF, .WebP, .AVIF])
    func `every frame is processed, times and rounds stay`(format: ImageFormat) throws {
        let data = try file(half, format)
        let info = try ImageFileInfo(data: data)
        #expect(info.format == format)
        #expect(info.size == CGSize(width: 4, height: 3))
        #expect(info.frameCount == 3)
        #expect(info.loopCount == 0)
        #expect(abs((info.duration ?? 0) - 0.4) < 0.000_01)
        let source = try EncodedFrameSource(data, scale: 1)
        for (index, colour) in [(255, 0, 0), (0, 255, 0), (0, 0, 255)].enumerated() {
            let pixel = try #require(source.frame(at: index)?.bitmap?[1, 1])
            // Lossy WebP and AVIF differ slightly.
            #expect(abs(Int(pixel.red) - colour.0) < 12, "frame \(index)")
            #expect(abs(Int(pixel.green) - colour.1) < 12, "frame \(index)")
            #expect(abs(Int(pixel.blue) - colour.2) < 12, "frame \(index)")
        }
    }

    @Test func `an animation on a canvas beyond the limits is refused with the limit`() throws {
        // The header's canvas: its frames would need 2.3 GB, a still image only 4 × 3 pixels.
        var data = TestImage.gif
        for (place, byte) in zip(6..<10, [0xB0, 0x36, 0xB0, 0x36] as [UInt8]) { data[place] = byte }
        let item = ImageProcessItem.data(data)
        #expect(
            AnimatedImageProcessor(half, format: .GIF).process(item: item, options: options) == nil
        )
        let reason = try #require(UndecodableReason.find(in: data))
        #expect(reason.contains("bytes of decoded frames, the limit is"), "\(reason)")
    }

    @Test func `without a format it is that of the original`() throws {
        let gif = try #require(
            AnimatedImageProcessor(half).process(item: .data(TestImage.gif), options: options)
        )
        #expect(gif.kf.gifRepresentation()?.kf.imageFormat == .GIF)
        let webP = try file(half, .WebP)
        let again = AnimatedImageProcessor(half).process(item: .data(webP), options: options)
        #expect(try #require(again).kf.gifRepresentation()?.kf.imageFormat == .WebP)
    }

    @Test func `an image that keeps its animation is processed like the bytes`() throws {
        let image = KingfisherWrapper<KFCrossPlatformImage>
            .image(data: TestImage.gif, options: ImageCreatingOptions(preloadAll: true))
        let item = ImageProcessItem.image(try #require(image))
        #expect(try file(half, .GIF, of: item) == file(half, .GIF))
    }

    @Test func `stills go through the processor as they are`() throws {
        for data in [TestImage.png(), TestImage.stillGIF] {
            let item = ImageProcessItem.data(data)
            let animated = AnimatedImageProcessor(half, format: .WebP)
            let still = try #require(animated.process(item: item, options: options))
            #expect(still.bitmap == half.process(item: item, options: options)?.bitmap)
            #expect(still.kf.gifRepresentation() == nil)
        }
        let nothing = ImageProcessItem.data(Data("none".utf8))
        let animated = AnimatedImageProcessor(half, format: .GIF)
        #expect(animated.process(item: nothing, options: options) == nil)
    }

    @Test func `an animation ends after its maximum number of frames`() throws {
        for (count, expected) in [(2, 2), (1, 1), (0, 1), (9, 3)] {
            let animated = AnimatedImageProcessor(half, format: .WebP, maxFrameCount: count)
            let image = animated.process(item: .data(TestImage.gif), options: options)
            let file = try #require(image?.kf.gifRepresentation())
            #expect(try ImageFileInfo(data: file).frameCount == expected)
        }
    }

    @Test func `the first frame alone is a still`() throws {
        let options = KingfisherParsedOptionsInfo([.onlyLoadFirstFrame])
        let animated = AnimatedImageProcessor(half, format: .WebP)
        let image = animated.process(item: .data(TestImage.gif), options: options)
        #expect(try #require(image).kf.gifRepresentation() == nil)
    }

    @Test func `frames of several sizes and formats without frames fail`() throws {
        let sizes = Mutex(0)
        let growing = BlockProcessor { image in
            let side = sizes.withLock {
                $0 += 1
                return $0
            }
            return image.kf.resize(to: CGSize(width: side, height: side))
        }
        for animated in [
            AnimatedImageProcessor(growing, format: .GIF),
            AnimatedImageProcessor(half, format: .PNG),
            AnimatedImageProcessor(BlockProcessor { _ in nil }, format: .GIF),
        ] {
            #expect(animated.process(item: .data(TestImage.gif), options: options) == nil)
        }
    }

    @Test func `identifiers contain format, quality and processor`() {
        let processors = [
            AnimatedImageProcessor(), AnimatedImageProcessor(format: .GIF),
            AnimatedImageProcessor(format: .WebP),
            AnimatedImageProcessor(format: .WebP, compressionQuality: 0.5),
            AnimatedImageProcessor(half, format: .WebP),
            AnimatedImageProcessor(format: .WebP, maxFrameCount: 2),
        ]
        #expect(Set(processors.map(\.identifier)).count == processors.count)
        #expect(
            processors[4].identifier
                == "com.onevcat.Kingfisher.AnimatedImageProcessor(WebP_0.8_\(half.identifier))"
        )
    }

    @Test func `a cached animation plays, and is not processed again`() async throws {
        let bench = try TestBench()
        bench.server.route("/a.gif", .body(TestImage.gif, type: "image/gif"))
        let calls = Mutex(0)
        let counting = BlockProcessor { image in
            calls.withLock { $0 += 1 }
            return image.kf.resize(to: CGSize(width: 4, height: 3))
        }
        let processor = AnimatedImageProcessor(counting, format: .WebP)
        func load(_ more: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
            try await bench.manager.retrieveImage(
                with: bench.server.url("/a.gif"),
                options: [.processor(processor), .waitForCache] + more
            )
        }
        #expect(try await load([]).cacheType == .none)
        for options: KingfisherOptionsInfo in [[], [.preloadAllAnimationData]] {
            bench.cache.clearMemoryCache()
            let result = try await load(options)
            #expect(result.cacheType == .disk)
            #expect(result.image.kf.imageFrameCount == 3)
            #expect(result.image.kf.gifRepresentation()?.kf.imageFormat == .WebP)
        }
        // The cached image has preloaded frames, and the load asks for other creating options.
        let result = try await load([])
        #expect(result.cacheType == .memory)
        #expect(result.image.pixelWidth == 4)
        #expect(calls.withLock { $0 } == 3)
    }
}

/// A processor made of a closure.
private struct BlockProcessor: ImageProcessor {
    let identifier = "test.block"
    let make: @Sendable (KFCrossPlatformImage) -> KFCrossPlatformImage?

    init(_ make: @escaping @Sendable (KFCrossPlatformImage) -> KFCrossPlatformImage?) {
        self.make = make
    }

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options).flatMap(make)
    }
}
