import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Every processor with images and numbers that make no sense.
struct DegenerateInputTests {
    static let options = KingfisherParsedOptionsInfo(nil)

    @Test(arguments: GoldenCase.all)
    func `an image without pixels stays without`(item: GoldenCase) {
        let empty = KFCrossPlatformImage()
        let result = item.processor.process(item: .image(empty), options: Self.options)
        #expect((result?.pixelWidth ?? 0) == 0)
    }

    @Test(arguments: GoldenCase.all, [(1, 1), (1, 7), (7, 1)])
    func `an image of one row or column gives an image`(
        item: GoldenCase,
        size: (Int, Int)
    ) throws {
        let bitmap = TestScene.transparent(width: size.0, height: size.1)
        let image = KFCrossPlatformImage(bitmap: bitmap)
        let result = try #require(
            item.processor.process(item: .image(image), options: Self.options)
        )
        #expect(result.pixelWidth > 0 && result.pixelHeight > 0)
    }

    /// Every processor with numbers, of which at least one is the given one.
    static func processors(_ number: CGFloat) -> [any ImageProcessor] {
        let size = CGSize(width: number, height: number)
        let mark = KFCrossPlatformImage(bitmap: TestScene.transparent(width: 9, height: 4))
        return [
            BlurImageProcessor(blurRadius: number),
            SharpeningImageProcessor(amount: number, radius: number),
            SharpeningImageProcessor(radius: number),
            RoundCornerImageProcessor(cornerRadius: number),
            RoundCornerImageProcessor(radius: .widthFraction(number)),
            BorderImageProcessor(border: Border(lineWidth: number, radius: .point(number))),
            WatermarkImageProcessor(watermark: mark, margin: number),
            WatermarkImageProcessor(
                watermark: mark.kf.scaled(to: max(1e-5, min(number.isNaN ? 1 : number, 1e5)))
            ),
            WatermarkImageProcessor(
                watermark: mark.kf.scaled(to: 1 / max(1e-5, min(number.isNaN ? 1 : number, 1e5)))
            ),
            TrimmingImageProcessor(tolerance: number),
            RotatingImageProcessor(degrees: number),
            CroppingImageProcessor(size: CGSize(width: number, height: 3)),
            SmartCroppingImageProcessor(size: CGSize(width: number, height: 3)),
            SmartCroppingImageProcessor(size: CGSize(width: 3, height: number)),
            ResizingImageProcessor(referenceSize: CGSize(width: number, height: 3)),
            ResizingImageProcessor(
                referenceSize: CGSize(width: number, height: 3),
                mode: .aspectFit
            ),
            PaddingImageProcessor(top: number, left: 1, bottom: -2),
            DownsamplingImageProcessor(size: size),
            ResizingImageProcessor(referenceSize: size),
            ResizingImageProcessor(referenceSize: size, mode: .aspectFill),
            RoundCornerImageProcessor(cornerRadius: 3, targetSize: size),
            CroppingImageProcessor(size: size),
            SmartCroppingImageProcessor(size: size),
            BlendImageProcessor(blendMode: .multiply, alpha: number, backgroundColor: .red),
            CompositingImageProcessor(compositingOperation: .copy, alpha: number),
            ColorControlsProcessor(
                brightness: number,
                contrast: number,
                saturation: number,
                inputEV: number
            ),
            OverlayImageProcessor(overlay: .red, fraction: number),
        ]
    }

    @Test(arguments: [CGFloat.nan, .infinity, -.infinity, -1, 0, 1e300])
    func `impossible sizes return the image unchanged or fail`(number: CGFloat) {
        let image = KFCrossPlatformImage(bitmap: TestScene.opaque())
        let source = image.pixelWidth * image.pixelHeight
        for processor in Self.processors(number) {
            let result = processor.process(item: .image(image), options: Self.options)
            guard let result else { continue }
            let count = result.pixelWidth * result.pixelHeight
            #expect(count > 0 && count <= 4 * source, "\(processor.identifier)")
        }
        let small = DownsamplingImageProcessor(size: CGSize(width: number, height: number))
            .process(item: .image(image), options: Self.options)
        #expect((small?.pixelWidth ?? 0) <= image.pixelWidth)
    }

    @Test(arguments: [CGFloat.greatestFiniteMagnitude, -1e308, 1e20, .infinity, .nan])
    func `any angle has a size`(degrees: CGFloat) {
        let size = RotatingImageProcessor(degrees: degrees)
            .drawnSize(of: PixelSize(width: 4, height: 3), scale: 1)
        #expect(size.width >= 3 && size.height >= 3)
    }

    @Test(arguments: [CGFloat.nan, .infinity, -.infinity])
    func `a rectangle of numbers without meaning is empty`(side: CGFloat) {
        let size = CGSize(width: side, height: side)
        let origin = CGPoint(x: side, y: side)
        #expect(size.kf.constrainedRect(for: size, anchor: origin).isEmpty)
    }
}
