import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// Every processor: the image before and after it.
final class ProcessorsPage: Page {
    let widget: Widget
    private let pictures: Pictures
    private var waiting = 0

    init(_ pictures: Pictures) {
        self.pictures = pictures
        widget = made(gtk_scrolled_window_new()).expanding()
        let cells = Self.processors.map { (name, processor) in
            // The landscapes have no margins to trim.
            let isTrimming = processor is TrimmingImageProcessor
            let first: any ImageProcessor = isTrimming ? Self.margin : DefaultImageProcessor.default
            let before = view(first, "before")
            let after = view(isTrimming ? first |> processor : processor, name)
            let both = box(
                GTK_ORIENTATION_HORIZONTAL,
                spacing: 4,
                [before.widget, after.widget]
            )
            let caption = label(name)
            gtk_label_set_xalign(caption.opaque, 0.5)
            return box(GTK_ORIENTATION_VERTICAL, spacing: 4, [both, caption])
        }
        gtk_scrolled_window_set_child(widget.opaque, flow(spacing: 9, cells).margin(18))
    }

    private func view(_ processor: any ImageProcessor, _ name: String) -> ImageView {
        let view = ImageView()
        view.setSizeRequest(width: 112, height: 84)
        view.alternativeText = name
        view.hasNaturalSize = false
        waiting += 1
        view.kf.setImage(
            with: pictures.small(14),
            options: [.processor(processor), .cacheOriginalImage]
        ) { [weak self] _ in self?.waiting -= 1 }
        return view
    }

    var isReady: Bool { waiting == 0 }

    private static let margin = PaddingImageProcessor(
        all: 30,
        backgroundColor: KFCrossPlatformColor(red: 0.6, green: 0.6, blue: 0.6, alpha: 1)
    )

    /// A white ring.
    private static var mark: KFCrossPlatformImage {
        let disc = Data(repeating: 0, count: 72 * 72 * 4)
        guard let clear = KFCrossPlatformImage(premultipliedRGBA: disc, width: 72, height: 72)
        else { preconditionFailure("the bytes are as many as the pixels take") }
        let white = KFCrossPlatformColor(red: 1, green: 1, blue: 1, alpha: 1)
        let ring = BorderImageProcessor(
            border: Border(color: white, lineWidth: 10, radius: .point(36), roundingCorners: .all)
        )
        let options = KingfisherParsedOptionsInfo(nil)
        return ring.process(item: .image(clear), options: options) ?? clear
    }

    private static var processors: [(String, any ImageProcessor)] {
        let half = CGSize(width: 180, height: 135)
        let square = CGSize(width: 135, height: 135)
        let tall = CGSize(width: 90, height: 135)
        let gold = KFCrossPlatformColor(red: 0.9, green: 0.7, blue: 0.1, alpha: 1)
        let red = KFCrossPlatformColor(red: 0.85, green: 0.2, blue: 0.2, alpha: 1)
        return [
            ("downsampling", DownsamplingImageProcessor(size: CGSize(width: 48, height: 48))),
            ("resizing", ResizingImageProcessor(referenceSize: square)),
            ("cropping", CroppingImageProcessor(size: half)),
            ("smart cropping", SmartCroppingImageProcessor(size: tall)),
            ("round corners", RoundCornerImageProcessor(cornerRadius: 60)),
            ("border", BorderImageProcessor(border: Border(color: red, lineWidth: 16))),
            ("blur", BlurImageProcessor(blurRadius: 8)),
            ("sharpening", SharpeningImageProcessor(amount: 3)),
            ("overlay", OverlayImageProcessor(overlay: red)),
            ("tint", TintImageProcessor(tint: gold.withAlphaComponent(0.4))),
            ("black and white", BlackWhiteProcessor()),
            (
                "colour controls",
                ColorControlsProcessor(brightness: 0.1, contrast: 1.3, saturation: 1.8, inputEV: 0)
            ),
            ("blend", BlendImageProcessor(blendMode: .multiply, backgroundColor: red)),
            ("flipping", FlippingImageProcessor(.vertical)),
            ("rotating", RotatingImageProcessor(degrees: 20)),
            ("padding", PaddingImageProcessor(all: 30, backgroundColor: red)),
            ("trimming", TrimmingImageProcessor()),
            ("watermark", WatermarkImageProcessor(watermark: mark, margin: 12, alpha: 0.8)),
            (
                "two in a row",
                BlurImageProcessor(blurRadius: 6) |> RoundCornerImageProcessor(cornerRadius: 60)
            ),
        ]
    }
}
