import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Every size that the library computes has sides of at least one pixel.
struct DerivedSizeTests {
    /// Sizes at both ends of the range, of all ratios, and random ones.
    private static let sizes: [PixelSize] = {
        let edges = [1, 2, 7, 100, 299, 1000, 10_000, 32_767, 65_535]
        var random = SystemRandomNumberGenerator()
        let others = (0..<40).map { _ in
            // Even in the logarithm, so that all magnitudes occur.
            PixelSize(
                width: Int(exp(Double.random(in: 0...log(65_535), using: &random))),
                height: Int(exp(Double.random(in: 0...log(65_535), using: &random)))
            )
        }
        return edges.flatMap { width in edges.map { PixelSize(width: width, height: $0) } } + others
    }()

    /// Reports the first of many failures; each takes time to report.
    private func expectNone(_ failures: [String]) {
        #expect(failures.isEmpty, "\(failures.count), such as \(failures.prefix(3))")
    }

    @Test func `DRW-2: no side derived from another one is below 1`() {
        var failures: [String] = []
        for own in Self.sizes {
            for box in Self.sizes {
                let (ownSize, boxSize) = (
                    CGSize(width: own.width, height: own.height),
                    CGSize(width: box.width, height: box.height)
                )
                let fit = ownSize.kf.resize(to: boxSize, for: .aspectFit)
                let fill = ownSize.kf.resize(to: boxSize, for: .aspectFill)
                let areValid =
                    min(fit.width, fit.height) >= 1 && fit.width <= boxSize.width
                    && fit.height <= boxSize.height && fill.width >= boxSize.width
                    && fill.height >= boxSize.height
                if !areValid { failures.append("\(own) in \(box): \(fit) and \(fill)") }
                let fitted = own.fitted(inside: box)
                if fitted.isEmpty || fitted.width > box.width || fitted.height > box.height {
                    failures.append("\(own) fitted inside \(box): \(fitted)")
                }
            }
        }
        expectNone(failures)
    }

    @Test func `every processor of a legal size makes an image of one`() {
        var failures: [String] = []
        for own in Self.sizes {
            for box in Self.sizes where box.longestSide <= 32_767 {
                let size = CGSize(width: box.width, height: box.height)
                for scale in [CGFloat(1), 0.3, 3] {
                    check(own, size, scale, &failures)
                }
            }
        }
        expectNone(failures)
    }

    private func check(
        _ own: PixelSize,
        _ size: CGSize,
        _ scale: CGFloat,
        _ failures: inout [String]
    ) {
        let processors: [any ImageProcessor] = [
            ResizingImageProcessor(referenceSize: size, mode: .aspectFit),
            DownsamplingImageProcessor(size: size),
            ViewSizeProcessor(size: size, density: scale, covers: false),
            ViewSizeProcessor(size: size, density: scale, covers: true),
        ]
        for processor in processors {
            let made = Traits(of: processor).decodedSize(own, scale)
            let isTooLarge = max(size.width, size.height) * scale > 65_535
            if made == nil && (isTooLarge || processor is DownsamplingImageProcessor) { continue }
            if made?.isEmpty ?? true {
                failures.append("\(own) by \(processor.identifier) at \(scale): \(made as Any)")
            }
        }
        guard max(size.width, size.height) * scale <= 32_767,
            let (part, made) = own.resizing(to: size, for: .aspectFill, scale: scale)
        else { return }
        let isInside = part.intersection(PixelRect(size: own)) == part && !part.isEmpty
        if !isInside || made.isEmpty || made.longestSide > 32_768 {
            failures.append("\(own) to fill \(size) at \(scale): \(part) and \(made)")
        }
    }

    @Test(arguments: [(1, 300), (1000, 2), (1, 10_000), (10_000, 1)])
    func `narrow images are resized, filled and cropped`(width: Int, height: Int) throws {
        let data = TestImage.png(width: width, height: height)
        let size = CGSize(width: 100, height: 100)
        let options = KingfisherParsedOptionsInfo(nil)
        let image = try #require(
            KingfisherWrapper<KFCrossPlatformImage>.image(
                data: data,
                options: ImageCreatingOptions()
            )
        )
        for item in [ImageProcessItem.data(data), .image(image)] {
            let fit = ResizingImageProcessor(referenceSize: size, mode: .aspectFit)
                .process(item: item, options: options)
            #expect(fit.map { max($0.pixelWidth, $0.pixelHeight) } == 100)
            #expect(fit.map { min($0.pixelWidth, $0.pixelHeight) } == 1)
            let fill = ResizingImageProcessor(referenceSize: size, mode: .aspectFill)
                .process(item: item, options: options)
            #expect(fill.map { min($0.pixelWidth, $0.pixelHeight) } == 100)
            let crop = SmartCroppingImageProcessor(size: size).process(item: item, options: options)
            #expect(crop?.size == size)
            let chain =
                ResizingImageProcessor(referenceSize: size, mode: .aspectFill)
                |> CroppingImageProcessor(size: size)
            #expect(chain.process(item: item, options: options)?.size == size)
        }
    }
}
