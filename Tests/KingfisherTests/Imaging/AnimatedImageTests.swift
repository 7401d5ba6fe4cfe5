import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

struct AnimatedImageTests {
    private func image(_ data: Data, _ options: ImageCreatingOptions) -> KFCrossPlatformImage? {
        KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: options)
    }

    @Test func `GIF-1: delays up to 10 ms are 100 ms`() throws {
        let source = try EncodedFrameSource(TestImage.gif, scale: 1)
        #expect((0..<3).map(source.duration(at:)) == [0.1, 0.2, 0.1])
        #expect(source.duration(at: 3) == .infinity)
    }

    @Test func `GIF-2: the first frame alone keeps bytes and frame count`() throws {
        let options = ImageCreatingOptions(preloadAll: true, onlyFirstFrame: true)
        let still = try #require(image(TestImage.gif, options))
        #expect(still.images == nil)
        #expect(still.kf.frameSource == nil)
        #expect(still.kf.imageFrameCount == 3)
        #expect(still.kf.gifRepresentation() == TestImage.gif)
    }

    @Test func `GIF-3: preloading decodes every frame, otherwise there is a source`() throws {
        let preloaded = try #require(
            image(TestImage.gif, ImageCreatingOptions(scale: 2, preloadAll: true))
        )
        let colours = preloaded.images?.map { $0.bitmap?[3, 3] }
        #expect(
            colours == [
                RGBA(red: 255, green: 0, blue: 0), RGBA(red: 0, green: 255, blue: 0),
                RGBA(red: 0, green: 0, blue: 255),
            ]
        )
        #expect(abs(preloaded.duration - 0.4) < 0.001)
        #expect(preloaded.kf.frameSource == nil)
        let lazy = try #require(image(TestImage.gif, ImageCreatingOptions(scale: 2)))
        #expect(lazy.images == nil)
        #expect(lazy.kf.frameSource?.frameCount == 3)
        #expect(lazy.size == CGSize(width: 4, height: 3))
    }

    @Test func `GIF-4 GIF-8: a single frame counts as one, other formats have no count`() throws {
        let options = ImageCreatingOptions()
        #expect(try #require(image(TestImage.stillGIF, options)).kf.imageFrameCount == 1)
        #expect(try #require(image(TestImage.png(), options)).kf.imageFrameCount == nil)
        let preloading = ImageCreatingOptions(preloadAll: true)
        let preloaded = try #require(image(TestImage.stillGIF, preloading))
        #expect(preloaded.images?.count == 1)
        #expect(preloaded.duration == .infinity)
        #expect(preloaded.cacheCost == preloaded.bitmap?.byteCount)
    }

    /// The animation with an invalid code size in its last frame.
    private var damagedGIF: Data {
        get throws {
            var data = TestImage.gif
            let codes = try #require(data.range(of: Data([8, 14, 0, 1]), options: .backwards))
            data[codes.lowerBound] = 13
            return data
        }
    }

    @Test func `GIF-5: a damaged frame makes preloading fail, and nothing else`() throws {
        let data = try damagedGIF
        #expect(image(data, ImageCreatingOptions(preloadAll: true)) == nil)
        let lazy = try #require(image(data, ImageCreatingOptions()))
        #expect(lazy.kf.frameSource?.frameCount == 3)
        #expect(lazy.kf.frameSource?.frame(at: 1) != nil)
        #expect(lazy.kf.frameSource?.frame(at: 2) == nil)
        let first = ImageCreatingOptions(preloadAll: true, onlyFirstFrame: true)
        #expect(image(data, first) != nil)
    }

    @Test func `GIF-5: so does a frame that its source does not have`() {
        struct Frames: ImageFrameSource {
            let missing: Int
            let data: Data? = nil
            let frameCount = 3

            func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
                index == missing ? nil : KFCrossPlatformImage(bitmap: TestImage.bitmap())
            }

            func duration(at index: Int) -> TimeInterval { 0.1 }
        }
        func preloaded(missing: Int) -> KFCrossPlatformImage? {
            KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
                source: Frames(missing: missing),
                options: ImageCreatingOptions(preloadAll: true)
            )
        }
        #expect(preloaded(missing: 3)?.images?.count == 3)
        for index in 0..<3 { #expect(preloaded(missing: index) == nil) }
    }

    @Test func `GIF-7: options are equal when all four fields are`() {
        let options = ImageCreatingOptions(
            scale: 2,
            duration: 3,
            preloadAll: true,
            onlyFirstFrame: true
        )
        var others = [ImageCreatingOptions](repeating: options, count: 5)
        others[1].scale = 1
        others[2].duration = 0
        others[3].preloadAll = false
        others[4].onlyFirstFrame = false
        #expect(others.map { $0 == options } == [true, false, false, false, false])
    }

    @Test func `GIF-10: an animation and its frames have the scale of the options`() throws {
        let all = ImageCreatingOptions(scale: 2, preloadAll: true)
        let preloaded = try #require(image(TestImage.gif, all))
        #expect(preloaded.scale == 2)
        #expect(preloaded.size == CGSize(width: 4, height: 3))
        #expect(preloaded.images?.map(\.scale) == [2, 2, 2])
        let lazy = try #require(image(TestImage.gif, ImageCreatingOptions(scale: 2)))
        #expect(lazy.scale == 2)
        #expect(lazy.kf.frameSource?.frame(at: 1)?.scale == 2)
        let first = ImageCreatingOptions(scale: 2, onlyFirstFrame: true)
        #expect(try #require(image(TestImage.gif, first)).scale == 2)
    }

    @Test func `GIF-6: the bytes are kept, stills have none`() throws {
        let options = ImageCreatingOptions(preloadAll: true)
        #expect(try #require(image(TestImage.gif, options)).kf.gifRepresentation() == TestImage.gif)
        #expect(try #require(image(TestImage.png(), options)).kf.gifRepresentation() == nil)
    }

    @Test func `SER-1 SER-4: an animation is stored as it came`() throws {
        let animated = try #require(image(TestImage.gif, ImageCreatingOptions()))
        let serializer = DefaultCacheSerializer.default
        #expect(serializer.data(with: animated, original: nil) == TestImage.gif)
        let copy = KFCrossPlatformImage(bitmap: animated.bitmap)
        animated.kf.copyKingfisherState(to: copy)
        #expect(serializer.data(with: copy, original: TestImage.gif) == TestImage.gif)
    }

    @Test func `IMG-6: the cost counts distinct frames`() throws {
        let preloaded = try #require(image(TestImage.gif, ImageCreatingOptions(preloadAll: true)))
        #expect(preloaded.cacheCost == 3 * 8 * 6 * 4)
    }

    @Test func `a frame is given in the size that is asked for`() throws {
        let source = try EncodedFrameSource(TestImage.gif, scale: 1)
        let frame = source.frame(at: 2, maxSize: CGSize(width: 4, height: 4))
        #expect(frame?.size == CGSize(width: 4, height: 3))
        #expect(source.frame(at: 9) == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `MGR-13: an animation is made again for other creating options`() async throws {
        let bench = try TestBench()
        bench.server.route("/a.gif", .body(TestImage.gif, type: "image/gif"))
        let url = bench.server.url("/a.gif")
        let lazy = try await bench.manager.retrieveImage(with: url)
        #expect(lazy.image.images == nil)
        let all = try await bench.manager.retrieveImage(
            with: url,
            options: [.preloadAllAnimationData]
        )
        #expect(all.cacheType == .memory)
        #expect(all.image.images?.count == 3)
    }

    @Test(.timeLimit(.minutes(1)))
    func `MGR-13: an image that cannot be made again is empty, for this caller only`()
        async throws
    {
        let bench = try TestBench()
        bench.server.route("/a.gif", .body(TestImage.gif, type: "image/gif"))
        let url = bench.server.url("/a.gif")
        let lazy = try await bench.manager.retrieveImage(with: url).image
        // With the identifier of the default processor.
        let processor = CountingProcessor(identifier: "", isRefusing: true)
        let options: KingfisherOptionsInfo = [.processor(processor)]
        // With equal creating options the image is not decoded again, so nothing can fail.
        #expect(try await bench.manager.retrieveImage(with: url, options: options).image === lazy)
        #expect(processor.runs.value == 0)
        let empty = try await bench.manager.retrieveImage(
            with: url,
            options: options + [.preloadAllAnimationData]
        )
        #expect(processor.runs.value == 1)
        #expect(empty.cacheType == .memory)
        #expect(empty.image.size == .zero)
        #expect(empty.image.images == nil)
        #expect(try await bench.manager.retrieveImage(with: url).image === lazy)
        #expect(bench.server.requests.count == 1)
    }
}
