import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// How processors use the scale factor of the options.
struct ScaleFactorTests {
    static let options = KingfisherParsedOptionsInfo([.scaleFactor(2)])

    static let rescaling: [any ImageProcessor] = [
        DefaultImageProcessor.default,
        BlendImageProcessor(blendMode: .multiply, backgroundColor: .red),
        CompositingImageProcessor(compositingOperation: .multiply, backgroundColor: .red),
        RoundCornerImageProcessor(cornerRadius: 3),
        ResizingImageProcessor(referenceSize: CGSize(width: 10, height: 10)),
        BlurImageProcessor(blurRadius: 3),
        OverlayImageProcessor(overlay: .red),
        TintImageProcessor(tint: .red),
        ColorControlsProcessor(brightness: 0.1, contrast: 1, saturation: 1, inputEV: 0),
        BlackWhiteProcessor(),
        CroppingImageProcessor(size: CGSize(width: 10, height: 10)),
        SmartCroppingImageProcessor(size: CGSize(width: 10, height: 10)),
        SharpeningImageProcessor(),
        RotatingImageProcessor(degrees: 10),
        FlippingImageProcessor(.horizontal),
        PaddingImageProcessor(all: 2),
        TrimmingImageProcessor(),
        WatermarkImageProcessor(watermark: KFCrossPlatformImage(bitmap: TestImage.bitmap())),
    ]

    private func process(
        _ processor: any ImageProcessor,
        _ image: KFCrossPlatformImage
    ) throws -> KFCrossPlatformImage {
        try #require(processor.process(item: .image(image), options: Self.options))
    }

    private var image: KFCrossPlatformImage { KFCrossPlatformImage(bitmap: TestImage.bitmap()) }

    @Test func `PRC-2: all but border and downsampling rescale the image first`() throws {
        for processor in Self.rescaling {
            #expect(try process(processor, image).scale == 2, "\(processor.identifier)")
        }
        let border = BorderImageProcessor(border: Border(lineWidth: 2))
        #expect(try process(border, image).scale == 1)
    }

    @Test func `PRC-1 PRC-2: bytes get the scale too, from all of them`() throws {
        let border = BorderImageProcessor(border: Border(lineWidth: 2))
        for processor in Self.rescaling + [border] {
            let result = processor.process(item: .data(TestImage.png()), options: Self.options)
            #expect(result?.scale == 2, "\(processor.identifier)")
        }
    }

    @Test func `PRC-2: sizes are points of that scale`() throws {
        let size = CGSize(width: 10, height: 10)
        for processor in [
            ResizingImageProcessor(referenceSize: size), CroppingImageProcessor(size: size),
            SmartCroppingImageProcessor(size: size),
        ] as [any ImageProcessor] {
            for item in [ImageProcessItem.image(image), .data(TestImage.jpeg())] {
                let result = try #require(processor.process(item: item, options: Self.options))
                #expect(result.size == size, "\(processor.identifier)")
                #expect(result.pixelWidth == 20, "\(processor.identifier)")
            }
        }
    }

    @Test func `PRC-10: downsampling to 4 × 4 at 2 gives 4 × 4 points`() throws {
        let processor = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))
        let square = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 64, height: 64))
        let data = TestImage.png(width: 64, height: 64)
        for item in [ImageProcessItem.image(square), .data(data)] {
            let result = try #require(processor.process(item: item, options: Self.options))
            #expect(result.size == CGSize(width: 4, height: 4))
            #expect(result.scale == 2)
            #expect(result.pixelWidth == 8)
        }
    }

    @Test func `PRC-9: downsampling an image without pixels is a failure`() {
        let processor = DownsamplingImageProcessor(size: CGSize(width: 4, height: 4))
        let item = ImageProcessItem.image(KFCrossPlatformImage())
        #expect(processor.process(item: item, options: Self.options) == nil)
    }

    @Test func `PRC-11: blur multiplies its radius by the scale factor`() throws {
        let blurred = try process(BlurImageProcessor(blurRadius: 3), image)
        #expect(blurred.bitmap == image.kf.blurred(withRadius: 6).bitmap)
        #expect(blurred.bitmap != image.kf.blurred(withRadius: 3).bitmap)
    }

    @Test func `PRC-12: black and white is colour controls of 0, 1, 0, 0.7`() throws {
        let grey = try process(BlackWhiteProcessor(), image)
        let adjusted = image.kf.adjusted(brightness: 0, contrast: 1, saturation: 0, inputEV: 0.7)
        #expect(grey.bitmap == adjusted.bitmap)
    }

    @Test func `PRC-14: one pixel stays one pixel through a file`() throws {
        let processor = ResizingImageProcessor(referenceSize: CGSize(width: 1, height: 1))
        let small = try #require(
            processor.process(
                item: .image(KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 64, height: 64))),
                options: KingfisherParsedOptionsInfo(nil)
            )
        )
        let file = try #require(small.kf.pngRepresentation())
        #expect(KFCrossPlatformImage(data: file)?.size == CGSize(width: 1, height: 1))
    }
}
