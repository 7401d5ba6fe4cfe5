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

/// Turns a picture clockwise on a canvas that holds all of it.
public struct RotatingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.RotatingImageProcessor(<degrees>)`, with `_<rgba>` behind it when
    /// there is a background colour.
    public let identifier: String

    /// How far it is turned; multiples of 90 change no pixel.
    public let degrees: CGFloat

    /// Fills what the picture leaves free; nil for transparency.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor.
    public init(degrees: CGFloat, backgroundColor: KFCrossPlatformColor? = nil) {
        self.degrees = degrees
        self.backgroundColor = backgroundColor
        let background = backgroundColor.map { "_\($0.rgbaDescription)" } ?? ""
        identifier =
            "com.onevcat.Kingfisher.RotatingImageProcessor("
            + "\(NumberText.number(degrees)))\(background)"
    }

    /// Turns; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.rotated(degrees: degrees, backgroundColor: backgroundColor)
        }
    }
}

extension RotatingImageProcessor {
    func drawnSize(of own: PixelSize, scale: CGFloat) -> PixelSize {
        guard degrees.isFinite else { return own }
        let angle = degrees * .pi / 180
        let (width, height) = (CGFloat(own.width), CGFloat(own.height))
        return PixelSize(
            width: Int((width * abs(cos(angle)) + height * abs(sin(angle))).rounded()),
            height: Int((width * abs(sin(angle)) + height * abs(cos(angle))).rounded())
        )
    }
}

/// Mirrors a picture.
public struct FlippingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.FlippingImageProcessor(<direction>)`.
    public let identifier: String

    /// Which way it is mirrored.
    public let direction: FlipDirection

    /// Makes a processor.
    public init(_ direction: FlipDirection) {
        self.direction = direction
        identifier = "com.onevcat.Kingfisher.FlippingImageProcessor(\(direction.rawValue))"
    }

    /// Mirrors; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.flipped(direction) }
    }
}

/// Draws a border inside a picture's edges.
public struct BorderImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BorderImageProcessor(<rgba>_<width>_<radius>[_corner(<bits>)])`.
    public var identifier: String {
        "com.onevcat.Kingfisher.BorderImageProcessor(\(border.identifier))"
    }

    /// The looks of the border.
    public let border: Border

    /// Makes a processor.
    public init(border: Border) {
        self.border = border
    }

    /// Draws the border; an image keeps its own scale.
    ///
    /// Nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            image.kf.addingBorder(border)
        case .data:
            drawing(on: item, options: options) { $0.kf.addingBorder(border) }
        }
    }
}
