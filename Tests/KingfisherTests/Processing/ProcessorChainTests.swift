import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

struct ProcessorChainTests {
    static let options = KingfisherParsedOptionsInfo(nil)
    static let small = CGSize(width: 24, height: 24)
    static let downsampling = DownsamplingImageProcessor(size: small)
    static let blur = BlurImageProcessor(blurRadius: 2)
    static let tint = TintImageProcessor(tint: .red.withAlphaComponent(0.2))
    static let start = DefaultImageProcessor.default

    /// The same sequence of steps, combined in every way.
    static let nestings: [any ImageProcessor] = [
        downsampling |> blur |> tint,
        downsampling |> (blur |> tint),
        start |> downsampling |> blur |> tint,
        start |> (downsampling |> (blur |> tint)),
        (start |> start) |> ((downsampling |> blur) |> tint),
    ]

    @Test func `PRC-3: the second processor gets the result of the first`() throws {
        let image = KFCrossPlatformImage(bitmap: TestScene.opaque())
        let result = (Self.blur |> Self.tint).process(item: .image(image), options: Self.options)
        let expected = image.kf.blurred(withRadius: 2).kf.tinted(with: Self.tint.tint)
        #expect(try #require(result).bitmap == expected.bitmap)
    }

    @Test func `PRC-3: a failure ends the chain`() {
        let calls = Locked(0)
        let failing = SpyProcessor(calls: calls) { _ in nil }
        let next = SpyProcessor(calls: calls) { _ in KFCrossPlatformImage() }
        let image = ImageProcessItem.image(KFCrossPlatformImage(bitmap: TestImage.bitmap()))
        let chain = Self.blur |> failing |> next
        #expect(chain.process(item: image, options: Self.options) == nil)
        #expect(calls.value == 1)
    }

    @Test func `PRC-3 PRC-4: nesting does not show in the identifier`() {
        let plain = Self.nestings[0].identifier
        #expect(Self.nestings[1].identifier == plain)
        #expect(Self.nestings[2].identifier == "|>" + plain)
        #expect(Self.nestings[3].identifier == "|>" + plain)
        #expect(Self.nestings[4].identifier == "|>|>" + plain)
    }

    @Test func `a processor after the default one gets an image`() throws {
        let sawImage = Locked(false)
        let spy = SpyProcessor(calls: Locked(0)) { item in
            guard case .image(let image) = item else { return nil }
            sawImage.change { $0 = true }
            return image
        }
        let data = ImageProcessItem.data(TestImage.png())
        #expect((Self.start |> spy).process(item: data, options: Self.options) != nil)
        #expect(sawImage.value)
        let only = (Self.start |> Self.start).process(item: data, options: Self.options)
        #expect(only?.pixelWidth == 64)
    }

    @Test func `chains that begin with a size decode to it, however they are nested`() throws {
        let data = TestImage.jpeg(width: 256, height: 192)
        let sized = try #require(
            Self.downsampling.process(item: .data(data), options: Self.options)
        )
        let expected = sized.kf.blurred(withRadius: 2).kf.tinted(with: Self.tint.tint)
        // The decoder's downscaling gives other pixels than the decoded full image scaled down, so
        // the result shows which was used.
        let full = try #require(KFCrossPlatformImage(data: data))
        let detour = try #require(full.downsampled(to: Self.small, scale: 1))
        #expect(detour.bitmap != sized.bitmap)
        for chain in Self.nestings {
            let result = chain.process(item: .data(data), options: Self.options)
            #expect(result?.bitmap == expected.bitmap, "\(chain.identifier)")
        }
    }

    @Test func `every processor that asks for a size says which`() {
        let own = PixelSize(width: 400, height: 300)
        let size = CGSize(width: 50, height: 50)
        let expected: [(any ImageProcessor, PixelSize?)] = [
            (DownsamplingImageProcessor(size: size), PixelSize(width: 100, height: 75)),
            (ResizingImageProcessor(referenceSize: size), PixelSize(width: 100, height: 100)),
            (
                ResizingImageProcessor(referenceSize: size, mode: .aspectFit),
                // Resizing by content mode rounds in points: 37.5 becomes 38.
                PixelSize(width: 100, height: 76)
            ),
            (SmartCroppingImageProcessor(size: size), PixelSize(width: 134, height: 100)),
            (
                RoundCornerImageProcessor(cornerRadius: 4, targetSize: size),
                PixelSize(width: 100, height: 100)
            ),
            (RoundCornerImageProcessor(cornerRadius: 4), nil),
            (DownsamplingImageProcessor(size: .zero), nil),
        ]
        for (processor, pixels) in expected {
            for whole in [processor, Self.start |> processor |> Self.blur] {
                #expect(Traits(of: whole).decodedSize(own, 2) == pixels, "\(whole.identifier)")
            }
        }
        #expect(Traits(of: Self.blur |> Self.downsampling).decodedSize(own, 2) == nil)
    }

    @Test(arguments: [FileFormat.jpeg, .png, .webp])
    func `a crop of a file has the pixels of a crop of its image`(format: FileFormat) throws {
        let data = try Codecs.encode(TestScene.opaque(), as: format)
        let sizing = ResizingImageProcessor(referenceSize: CGSize(width: 21, height: 17))
        let first: [any ImageProcessor] = [Self.start, sizing, Self.downsampling]
        let crops: [any ImageProcessor] = [
            CroppingImageProcessor(size: CGSize(width: 9, height: 5)),
            CroppingImageProcessor(size: CGSize(width: 4.5, height: 1e9), anchor: .zero),
            CroppingImageProcessor(size: .zero),
            PaddingImageProcessor(top: -3, left: -4, bottom: -1, right: 0),
            PaddingImageProcessor(top: -3.4, left: 2, bottom: 0, right: -5),
            PaddingImageProcessor(top: -1000, left: 0, bottom: 0, right: 0),
        ]
        for scale in [1, 2] as [CGFloat] {
            let options = KingfisherParsedOptionsInfo([.scaleFactor(scale)])
            for (step, crop) in first.flatMap({ step in crops.map { (step, $0) } }) {
                let whole = try #require(step.process(item: .data(data), options: options))
                let expected = crop.process(item: .image(whole), options: options)
                for processor in [step |> crop, step |> crop |> Self.start] {
                    let found = processor.process(item: .data(data), options: options)
                    #expect(found?.bitmap == expected?.bitmap, "\(processor.identifier)")
                    #expect(found?.scale == expected?.scale)
                }
            }
        }
    }

    @Test func `resizing that prefers speed takes the size of the decoder`() throws {
        let data = try Codecs.encode(TestScene.opaque(), as: .jpeg)
        let own = try Codecs.inspect(data).displaySize
        let half = PixelSize(width: own.width / 2, height: own.height / 2)
        let size = CGSize(width: half.width, height: half.height)
        let target = DecodeOptions.Target.exact(half)
        let direct = DecodeOptions(target: target, isReducedLater: true)
        let crop = CroppingImageProcessor(size: CGSize(width: 9, height: 5))
        for (prefersSpeed, options) in [(true, direct), (false, DecodeOptions(target: target))] {
            let resizing = ResizingImageProcessor(referenceSize: size, prefersSpeed: prefersSpeed)
            let expected = try KFCrossPlatformImage(
                bitmap: Codecs.decode(data, options: options).bitmap
            )
            let found = resizing.process(item: .data(data), options: Self.options)
            #expect(found?.bitmap == expected.bitmap)
            let part = (resizing |> crop).process(item: .data(data), options: Self.options)
            let cropped = crop.process(item: .image(expected), options: Self.options)
            #expect(part?.bitmap == cropped?.bitmap)
        }
        #expect(
            try Codecs.decode(data, options: direct).bitmap
                != Codecs.decode(data, options: DecodeOptions(target: target)).bitmap
        )
    }

    /// An image has such a scale only up to a limit, and beyond it the scale 1.
    @Test(arguments: [1e-300, 1e-7, 1e7, 1e300, CGFloat.leastNormalMagnitude])
    func `a crop of a file at an absurd scale is that of its image`(scale: CGFloat) throws {
        let data = try Codecs.encode(TestScene.opaque(), as: .png)
        let options = KingfisherParsedOptionsInfo([.scaleFactor(scale)])
        let whole = try #require(Self.start.process(item: .data(data), options: options))
        let crops: [any ImageProcessor] = [
            CroppingImageProcessor(size: CGSize(width: 9, height: 5), anchor: .zero),
            PaddingImageProcessor(top: -3, left: -4, bottom: -1, right: 0),
        ]
        for crop in crops {
            let expected = crop.process(item: .image(whole), options: options)
            let found = crop.process(item: .data(data), options: options)
            #expect(found?.bitmap == expected?.bitmap, "\(crop.identifier)")
        }
    }

    @Test func `bytes that are not an image fail in every chain`() {
        let item = ImageProcessItem.data(Data("no picture at all".utf8))
        for chain in Self.nestings + [SmartCroppingImageProcessor(size: Self.small), Self.blur] {
            #expect(chain.process(item: item, options: Self.options) == nil)
        }
    }
}

/// A processor made of a closure; counts its calls.
private struct SpyProcessor: ImageProcessor {
    let identifier = "spy"
    let calls: Locked<Int>
    let body: @Sendable (ImageProcessItem) -> KFCrossPlatformImage?

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        calls.change { $0 += 1 }
        return body(item)
    }
}
