import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Chains of built-in processors with absurd numbers.
///
/// `FuzzSeeds` sets their number. A failure reports the seed and the chain.
@Suite(.timeLimit(.minutes(10)))
struct ProcessorFuzzTests {
    private static let limits = ResultLimits(maxPixelCount: 250_000, maxSide: 4_000)

    @Test func `a chain with absurd numbers gives an image within the limits, or none`() async {
        let items: [ImageProcessItem] = [
            .image(KFCrossPlatformImage(bitmap: TestScene.opaque())),
            .image(KFCrossPlatformImage(bitmap: TestScene.transparent(width: 17, height: 3))),
            .data(TestImage.jpeg()), .data(TestImage.png(width: 5, height: 90)),
            .data(TestImage.gif),
        ]
        var (rounds, images) = (0, 0)
        for seed in FuzzSeeds(usually: 400) {
            rounds += 1
            await Task.yield()
            var random = HostileNumbers(seed: seed)
            var chain = random.processor()
            for _ in 0..<random.number(below: 3) {
                chain = chain.append(another: random.processor())
            }
            var options = KingfisherParsedOptionsInfo([.resultLimits(Self.limits)])
            if random.number(below: 3) == 0 { options.scaleFactor = random.next() }
            let item = items[random.number(below: items.count)]
            let note = "seed \(seed), \(chain.identifier), scale \(options.scaleFactor)"
            // An image that is read from a file is not subject to the result limits, and it is
            // smaller here.
            let scope = Self.limits.scope
            guard let result = scope.run({ chain.process(item: item, options: options) })
            else { continue }
            images += 1
            let count = result.pixelWidth * result.pixelHeight
            #expect(count > 0 && count <= Self.limits.maxPixelCount, "\(note)")
            #expect(max(result.pixelWidth, result.pixelHeight) <= Self.limits.maxSide, "\(note)")
            #expect(result.size.width.isFinite && result.size.height.isFinite, "\(note)")
            let again = scope.run { chain.process(item: item, options: options) }
            #expect(again?.bitmap == result.bitmap, "\(note)")
        }
        #expect(images > rounds / 10)
        #expect(images < rounds)
    }
}

/// Seeded numbers, many of them extreme, and processors made of them.
private struct HostileNumbers {
    private static let edges: [CGFloat] = [
        0, -0.0, 1, -1, 0.5, 2, 7, 40, 255, 32_768, 65_536, 1e9, 4_294_967_296,
        CGFloat(Int.max), CGFloat(Int.min), 1e300, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude, .ulpOfOne, .nan, .infinity, -.infinity,
    ]

    private var random: SplitMix

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    mutating func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    mutating func next() -> CGFloat {
        // Half of them are reasonable, so that some chains succeed.
        number(below: 2) == 0
            ? CGFloat(number(below: 60)) : Self.edges[number(below: Self.edges.count)]
    }

    private mutating func size() -> CGSize { CGSize(width: next(), height: next()) }

    private mutating func color() -> KFCrossPlatformColor {
        KFCrossPlatformColor(red: next(), green: next(), blue: next(), alpha: next())
    }

    mutating func processor() -> any ImageProcessor {
        number(below: 2) == 0 ? sizing() : painting()
    }

    private mutating func sizing() -> any ImageProcessor {
        switch number(below: 8) {
        case 0: return DownsamplingImageProcessor(size: size())
        case 1: return ResizingImageProcessor(referenceSize: size(), mode: .aspectFit)
        case 2: return ResizingImageProcessor(referenceSize: size(), mode: .aspectFill)
        case 3: return ResizingImageProcessor(referenceSize: size())
        case 4:
            let anchor = CGPoint(x: next(), y: next())
            return CroppingImageProcessor(size: size(), anchor: anchor)
        case 5: return SmartCroppingImageProcessor(size: size())
        case 6: return TrimmingImageProcessor(tolerance: next())
        default:
            return PaddingImageProcessor(
                top: next(),
                left: next(),
                bottom: next(),
                right: next(),
                backgroundColor: number(below: 2) == 0 ? color() : nil
            )
        }
    }

    private mutating func painting() -> any ImageProcessor {
        switch number(below: 11) {
        case 0: return BlurImageProcessor(blurRadius: next())
        case 1: return SharpeningImageProcessor(amount: next(), radius: next())
        case 2: return RotatingImageProcessor(degrees: next(), backgroundColor: color())
        case 3: return OverlayImageProcessor(overlay: color(), fraction: next())
        case 4: return TintImageProcessor(tint: color())
        case 5:
            return ColorControlsProcessor(
                brightness: next(),
                contrast: next(),
                saturation: next(),
                inputEV: next()
            )
        case 6:
            return RoundCornerImageProcessor(
                radius: number(below: 2) == 0 ? .point(next()) : .heightFraction(next()),
                targetSize: number(below: 2) == 0 ? size() : nil,
                backgroundColor: number(below: 2) == 0 ? color() : nil
            )
        case 7:
            let border = Border(color: color(), lineWidth: next(), radius: .point(next()))
            return BorderImageProcessor(border: border)
        case 8:
            let mark = KFCrossPlatformImage(bitmap: TestScene.transparent(width: 9, height: 4))
            let anchor = CGPoint(x: next(), y: next())
            return WatermarkImageProcessor(
                watermark: mark,
                anchor: anchor,
                margin: next(),
                alpha: next()
            )
        case 9:
            return BlendImageProcessor(
                blendMode: .multiply,
                alpha: next(),
                backgroundColor: color()
            )
        default:
            let operations = NSCompositingOperation.allCases
            return CompositingImageProcessor(
                compositingOperation: operations[number(below: operations.count)],
                alpha: next(),
                backgroundColor: number(below: 2) == 0 ? color() : nil
            )
        }
    }
}
