import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct ProcessorIdentifierTests {
    static let size = CGSize(width: 100, height: 50.5)
    static let prefix = "com.onevcat.Kingfisher."

    @Test func `PRC-5: numbers and sizes have Apple's text form`() {
        #expect(
            DownsamplingImageProcessor(size: Self.size).identifier
                == Self.prefix + "DownsamplingImageProcessor((100.0, 50.5))"
        )
        #expect(
            ResizingImageProcessor(referenceSize: Self.size).identifier
                == Self.prefix + "ResizingImageProcessor((100.0, 50.5))"
        )
        #expect(
            ResizingImageProcessor(referenceSize: Self.size, mode: .aspectFill).identifier
                == Self.prefix + "ResizingImageProcessor((100.0, 50.5), aspectFill)"
        )
        #expect(
            ResizingImageProcessor(referenceSize: Self.size, prefersSpeed: true).identifier
                == Self.prefix + "ResizingImageProcessor((100.0, 50.5))_fast"
        )
    }

    @Test func `PRC-7 PRC-8: radius, size, corners and colour`() {
        #expect(
            RoundCornerImageProcessor(cornerRadius: 20).identifier
                == Self.prefix + "RoundCornerImageProcessor(20.0)"
        )
        let full = RoundCornerImageProcessor(
            radius: .widthFraction(0.25),
            targetSize: CGSize(width: 10, height: 20),
            roundingCorners: [.topLeft, .bottomRight],
            backgroundColor: .red
        )
        #expect(
            full.identifier
                == Self.prefix + "RoundCornerImageProcessor(w_frac_0.25_(10.0, 20.0)_corner(9))"
                + "_(1.00,0.00,0.00,1.00)"
        )
    }

    @Test func `PRC-3 PRC-4: a chain joins identifiers`() {
        let resize = ResizingImageProcessor(referenceSize: Self.size)
        let round = RoundCornerImageProcessor(cornerRadius: 1)
        #expect((resize |> round).identifier == "\(resize.identifier)|>\(round.identifier)")
        let appended = DefaultImageProcessor.default.append(another: round)
        #expect(appended.identifier == "|>\(round.identifier)")
    }

    private static func identifier(_ processor: some ImageProcessor) -> String {
        #expect(processor.identifier.hasPrefix(prefix))
        return String(processor.identifier.dropFirst(prefix.count))
    }

    @Test func `PRC-5 PRC-13: blend, blur, overlay, tint, colours, crop`() {
        let red = KFCrossPlatformColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        #expect(
            Self.identifier(BlendImageProcessor(blendMode: .multiply, alpha: 0.7))
                == "BlendImageProcessor(1,0.7)"
        )
        #expect(
            Self.identifier(BlendImageProcessor(blendMode: .plusLighter, backgroundColor: red))
                == "BlendImageProcessor(27,1.0)_(1.00,0.00,0.00,0.50)"
        )
        #expect(
            Self.identifier(CompositingImageProcessor(compositingOperation: .xor, alpha: 0.5))
                == "CompositingImageProcessor(10,0.5)"
        )
        #expect(Self.identifier(BlurImageProcessor(blurRadius: 10)) == "BlurImageProcessor(10.0)")
        #expect(
            Self.identifier(OverlayImageProcessor(overlay: red))
                == "OverlayImageProcessor((1.00,0.00,0.00,0.50)_0.5)"
        )
        #expect(
            Self.identifier(TintImageProcessor(tint: red))
                == "TintImageProcessor((1.00,0.00,0.00,0.50))"
        )
        let controls = ColorControlsProcessor(
            brightness: 0.1,
            contrast: 1,
            saturation: 0.25,
            inputEV: -0.5
        )
        #expect(Self.identifier(controls) == "ColorControlsProcessor(0.1_1.0_0.25_-0.5)")
        #expect(Self.identifier(BlackWhiteProcessor()) == "BlackWhiteProcessor")
        #expect(
            Self.identifier(CroppingImageProcessor(size: Self.size))
                == "CroppingImageProcessor((100.0, 50.5)_(0.5, 0.5))"
        )
    }

    @Test func `PRC-6: colours outside sRGB keep their numbers`() {
        let p3Green = KFCrossPlatformColor(red: -0.511, green: 1.018, blue: -0.31, alpha: 1)
        #expect(
            Self.identifier(TintImageProcessor(tint: p3Green))
                == "TintImageProcessor((-0.51,1.02,-0.31,1.00))"
        )
    }

    @Test func `PRC-8: a border has a stable text`() {
        #expect(
            Self.identifier(BorderImageProcessor(border: Border()))
                == "BorderImageProcessor((0.00,0.00,0.00,1.00)_4.0_0.0)"
        )
        let border = Border(
            color: .red,
            lineWidth: 2.5,
            radius: .heightFraction(0.5),
            roundingCorners: [.topLeft, .topRight]
        )
        #expect(
            Self.identifier(BorderImageProcessor(border: border))
                == "BorderImageProcessor((1.00,0.00,0.00,1.00)_2.5_h_frac_0.5_corner(3))"
        )
    }

    @Test func `identifiers of our own processors contain every setting`() {
        #expect(
            Self.identifier(SmartCroppingImageProcessor(size: Self.size))
                == "SmartCroppingImageProcessor((100.0, 50.5))"
        )
        #expect(
            Self.identifier(SharpeningImageProcessor(amount: 1.5))
                == "SharpeningImageProcessor(1.5_1.0)"
        )
        #expect(
            Self.identifier(RotatingImageProcessor(degrees: 90, backgroundColor: .white))
                == "RotatingImageProcessor(90.0)_(1.00,1.00,1.00,1.00)"
        )
        #expect(
            Self.identifier(FlippingImageProcessor(.vertical))
                == "FlippingImageProcessor(vertical)"
        )
        #expect(
            Self.identifier(PaddingImageProcessor(top: 1, left: 2, bottom: 3, right: 4))
                == "PaddingImageProcessor(1.0_2.0_3.0_4.0)"
        )
        #expect(
            Self.identifier(TrimmingImageProcessor(tolerance: 0.1))
                == "TrimmingImageProcessor(0.1)"
        )
        let trimming = TrimmingImageProcessor(tolerance: 0.1)
        #expect(
            Self.identifier(ProfileKeepingProcessor(trimming))
                == "ProfileKeepingProcessor(\(trimming.identifier))"
        )
        #expect(
            Self.identifier(AnimatedImageProcessor(trimming, format: .WebP, maxFrameCount: 2))
                == "AnimatedImageProcessor(WebP_0.8_first2_\(trimming.identifier))"
        )
    }

    @Test func `a watermark is identified by its pixels and its scale`() {
        func mark(_ width: Int, scale: CGFloat = 1) -> String {
            let bitmap = TestImage.bitmap(width: width, height: 4)
            let image = KFCrossPlatformImage(bitmap: bitmap, scale: scale)
            return Self.identifier(WatermarkImageProcessor(watermark: image, margin: 2))
        }
        #expect(mark(8) == mark(8))
        #expect(mark(8) != mark(9))
        #expect(mark(8) != mark(8, scale: 2))
        #expect(mark(8).hasSuffix("_(1.0, 1.0)_2.0_1.0)"))
    }
}
