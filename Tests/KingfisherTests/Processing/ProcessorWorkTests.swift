import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// No step makes a bitmap that is larger than its input and its output together, whatever its
/// parameters are.
struct ProcessorWorkTests {
    static let numbers: [CGFloat] = [
        0, 0.4, 1, 3, 29, 63, 64, 200, 1000, 65_535, 1e6, 1e300, .infinity, -5, -1e300, .nan,
    ]

    @Test(arguments: [(30, 20), (1, 300), (300, 1)])
    func `every processor takes the pixels of its input and its output`(
        _ width: Int,
        _ height: Int
    ) throws {
        let bitmap = TestScene.transparent(width: width, height: height)
        let file = TestImage.png(width: width, height: height)
        let options = KingfisherParsedOptionsInfo(nil)
        let items: [ImageProcessItem] = [.image(KFCrossPlatformImage(bitmap: bitmap)), .data(file)]
        var results = 0
        for number in Self.numbers {
            for processor in DegenerateInputTests.processors(number) {
                for item in items {
                    let whole = PixelScope(maxPixelCount: 400_000, maxDimension: 65_535)
                    guard
                        let result = whole.run({ processor.process(item: item, options: options) }),
                        whole.refused == nil
                    else { continue }
                    results += 1
                    let count = width * height + result.pixelWidth * result.pixelHeight
                    let bound = PixelScope(maxPixelCount: count, maxDimension: 65_535)
                    let again = bound.run { processor.process(item: item, options: options) }
                    #expect(bound.refused == nil, "\(processor.identifier)")
                    #expect(again?.bitmap == result.bitmap, "\(processor.identifier)")
                }
            }
        }
        #expect(results > 300)
    }

    @Test func `of a huge watermark only the part that is seen is made`() throws {
        let mark = KFCrossPlatformImage(bitmap: TestScene.opaque(), scale: 1)
        let image = KFCrossPlatformImage(
            bitmap: TestScene.transparent(width: 12, height: 10),
            scale: 300
        )
        let scope = PixelScope(maxPixelCount: 120, maxDimension: 12)
        let result = scope.run { image.kf.watermarked(with: mark) }
        #expect(scope.refused == nil)
        #expect(result !== image)
    }
}
