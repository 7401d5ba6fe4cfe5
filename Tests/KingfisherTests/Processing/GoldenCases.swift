import Foundation
import KFPixels
import Kingfisher
import TestSupport
import Testing

/// A processor, its input and the name of the expected image.
struct GoldenCase: Sendable, CustomTestStringConvertible {
    /// The name of the golden image.
    let name: String
    let source: Bitmap
    let processor: any ImageProcessor

    var testDescription: String { name }

    init(_ name: String, _ source: Bitmap, _ processor: any ImageProcessor) {
        self.name = name
        self.source = source
        self.processor = processor
    }

    static let all: [GoldenCase] = sizes + shapes + colours + geometry + chains + blends

    private static let scene = TestScene.opaque()
    private static let badge = TestScene.transparent()
    private static let small = CGSize(width: 48, height: 48)
    private static let veil = KFCrossPlatformColor(red: 1, green: 0.4, blue: 0, alpha: 0.5)

    private static let sizes: [GoldenCase] = [
        .init("resize-none", scene, ResizingImageProcessor(referenceSize: small)),
        .init("resize-fit", scene, ResizingImageProcessor(referenceSize: small, mode: .aspectFit)),
        .init(
            "resize-fill",
            scene,
            ResizingImageProcessor(referenceSize: small, mode: .aspectFill)
        ),
        .init(
            "resize-larger",
            badge,
            ResizingImageProcessor(referenceSize: CGSize(width: 150, height: 150), mode: .aspectFit)
        ),
        .init("downsample", scene, DownsamplingImageProcessor(size: small)),
        .init("downsample-transparent", badge, DownsamplingImageProcessor(size: small)),
        .init("crop-middle", scene, CroppingImageProcessor(size: small)),
        .init(
            "crop-corner",
            scene,
            CroppingImageProcessor(
                size: CGSize(width: 40, height: 30),
                anchor: CGPoint(x: 1, y: 0.5)
            )
        ),
        .init("smartcrop", scene, SmartCroppingImageProcessor(size: small)),
    ]

    private static let shapes: [GoldenCase] = [
        .init("round", scene, RoundCornerImageProcessor(cornerRadius: 16)),
        .init(
            "round-circle",
            scene,
            RoundCornerImageProcessor(
                radius: .widthFraction(0.5),
                targetSize: CGSize(width: 64, height: 64)
            )
        ),
        .init(
            "round-background",
            badge,
            RoundCornerImageProcessor(
                radius: .heightFraction(0.3),
                roundingCorners: [.topLeft, .bottomRight],
                backgroundColor: .lightGray
            )
        ),
        .init("border", scene, BorderImageProcessor(border: Border(color: .white))),
        .init(
            "border-round",
            scene,
            BorderImageProcessor(
                border: Border(
                    color: KFCrossPlatformColor(red: 1, green: 0, blue: 0, alpha: 0.7),
                    lineWidth: 6,
                    radius: .heightFraction(0.3),
                    roundingCorners: [.topLeft, .topRight, .bottomRight]
                )
            )
        ),
    ]

    private static let colours: [GoldenCase] = [
        .init("blur", scene, BlurImageProcessor(blurRadius: 4)),
        .init("blur-transparent", badge, BlurImageProcessor(blurRadius: 4)),
        .init("sharpen", scene, SharpeningImageProcessor(amount: 2)),
        .init("overlay", scene, OverlayImageProcessor(overlay: .red)),
        .init("overlay-shape", badge, OverlayImageProcessor(overlay: .blue, fraction: 0)),
        .init("overlay-transparent", badge, OverlayImageProcessor(overlay: veil, fraction: 0.3)),
        .init("tint", scene, TintImageProcessor(tint: veil)),
        .init("tint-transparent", badge, TintImageProcessor(tint: veil)),
        .init(
            "color",
            scene,
            ColorControlsProcessor(
                brightness: 0.1,
                contrast: 1.4,
                saturation: 1.5,
                inputEV: -0.3
            )
        ),
        .init(
            "color-transparent",
            badge,
            ColorControlsProcessor(
                brightness: 0.2,
                contrast: 0.8,
                saturation: 0.4,
                inputEV: 0.5
            )
        ),
        .init("bw", scene, BlackWhiteProcessor()),
        .init("bw-transparent", badge, BlackWhiteProcessor()),
    ]

    private static let geometry: [GoldenCase] = [
        .init("rotate-90", scene, RotatingImageProcessor(degrees: 90)),
        .init("rotate-30", scene, RotatingImageProcessor(degrees: 30)),
        .init(
            "rotate-background",
            badge,
            RotatingImageProcessor(degrees: -15, backgroundColor: .yellow)
        ),
        .init("flip-horizontal", scene, FlippingImageProcessor(.horizontal)),
        .init("flip-vertical", scene, FlippingImageProcessor(.vertical)),
        .init(
            "pad",
            badge,
            PaddingImageProcessor(
                top: 4,
                left: 8,
                bottom: 12,
                right: -20,
                backgroundColor: .cyan
            )
        ),
        .init("trim", badge, TrimmingImageProcessor()),
        .init(
            "watermark",
            scene,
            WatermarkImageProcessor(
                watermark: KFCrossPlatformImage(
                    bitmap: TestScene.transparent(width: 32, height: 24)
                ),
                anchor: CGPoint(x: 1, y: 0),
                margin: 5,
                alpha: 0.8
            )
        ),
    ]

    private static let chains: [GoldenCase] = [
        .init(
            "chain",
            scene,
            DownsamplingImageProcessor(size: CGSize(width: 64, height: 64))
                |> RoundCornerImageProcessor(cornerRadius: 12)
                |> BorderImageProcessor(border: Border(lineWidth: 2, radius: .point(12)))
        )
    ]

    private static let blends: [GoldenCase] = CGBlendMode.allCases.map { mode in
        GoldenCase(
            "blend-\(mode)",
            TestScene.transparent(width: 48, height: 36),
            BlendImageProcessor(
                blendMode: mode,
                alpha: 0.9,
                backgroundColor: KFCrossPlatformColor(red: 0.2, green: 0.7, blue: 0.4, alpha: 0.8)
            )
        )
    }
}
