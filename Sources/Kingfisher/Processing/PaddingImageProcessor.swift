public import Foundation
import Pixels

/// Puts room around a picture; negative margins cut.
public struct PaddingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.PaddingImageProcessor(<top>_<left>_<bottom>_<right>)`, with
    /// `_<rgba>` behind it when there is a background colour.
    public let identifier: String

    /// Above the picture, in points.
    public let top: CGFloat

    /// To its left, in points.
    public let left: CGFloat

    /// Below it, in points.
    public let bottom: CGFloat

    /// To its right, in points.
    public let right: CGFloat

    /// Fills the room; nil for transparency.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor.
    public init(
        top: CGFloat = 0,
        left: CGFloat = 0,
        bottom: CGFloat = 0,
        right: CGFloat = 0,
        backgroundColor: KFCrossPlatformColor? = nil
    ) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
        self.backgroundColor = backgroundColor
        let margins = [top, left, bottom, right].map(NumberText.number).joined(separator: "_")
        let background = backgroundColor.map { "_\($0.rgbaDescription)" } ?? ""
        identifier = "com.onevcat.Kingfisher.PaddingImageProcessor(\(margins))\(background)"
    }

    /// Makes a processor with the same room on all sides.
    public init(all margin: CGFloat, backgroundColor: KFCrossPlatformColor? = nil) {
        self.init(
            top: margin,
            left: margin,
            bottom: margin,
            right: margin,
            backgroundColor: backgroundColor
        )
    }

    /// Pads; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.padded(
                top: top,
                left: left,
                bottom: bottom,
                right: right,
                backgroundColor: backgroundColor
            )
        }
    }
}

extension PaddingImageProcessor {
    func drawnSize(of own: PixelSize, scale: CGFloat) -> PixelSize {
        func padded(_ side: Int, _ margins: CGFloat) -> Int {
            let pixels = CGFloat(side) + margins * scale
            return pixels.isNaN ? side : Int(max(0, min(pixels, CGFloat(Int32.max))))
        }
        return PixelSize(
            width: padded(own.width, left + right),
            height: padded(own.height, top + bottom)
        )
    }
}
