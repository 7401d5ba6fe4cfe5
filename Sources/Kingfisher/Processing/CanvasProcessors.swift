public import Foundation
import KFPixels

/// Adds margins around an image; negative margins crop it.
///
/// ```swift
/// let processor = PaddingImageProcessor(
///     top: 8, left: 8, bottom: 8, right: 8, backgroundColor: .white
/// )
/// ```
public struct PaddingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.PaddingImageProcessor(<top>_<left>_<bottom>_<right>)`, followed by
    /// `_<rgba>` if there is a background colour.
    public let identifier: String

    /// The top margin in points.
    public let top: CGFloat

    /// The left margin in points.
    public let left: CGFloat

    /// The bottom margin in points.
    public let bottom: CGFloat

    /// The right margin in points.
    public let right: CGFloat

    /// Fills the margins; nil leaves them transparent.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - top: In points.
    ///   - left: In points.
    ///   - bottom: In points.
    ///   - right: In points.
    ///   - backgroundColor: Fills the margins; nil leaves them transparent.
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

    /// Makes a processor with the same margin on all sides.
    ///
    /// - Parameters:
    ///   - margin: In points.
    ///   - backgroundColor: Fills the margins; nil leaves them transparent.
    public init(all margin: CGFloat, backgroundColor: KFCrossPlatformColor? = nil) {
        self.init(
            top: margin,
            left: margin,
            bottom: margin,
            right: margin,
            backgroundColor: backgroundColor
        )
    }

    /// Adds the margins; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        if let part = partDecoding(item, options) { return part.image() }
        return drawing(on: item, options: options) {
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
    func keptPart(of size: PixelSize, scale: CGFloat) -> PixelRect? {
        let margins = [top, left, bottom, right].map { ($0 * scale).rounded() }
        guard margins.allSatisfy({ $0 <= 0 && $0 > -1_048_576 }) else { return nil }
        let cut = margins.map { -Int($0) }
        let part = PixelRect(
            x: cut[1],
            y: cut[0],
            width: size.width - cut[1] - cut[3],
            height: size.height - cut[0] - cut[2]
        )
        return part.isEmpty ? nil : part
    }

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

/// Rotates an image clockwise on a canvas that contains all of it.
///
/// ```swift
/// .processor(RotatingImageProcessor(degrees: 90))
/// ```
public struct RotatingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.RotatingImageProcessor(<degrees>)`, followed by `_<rgba>` if there
    /// is a background colour.
    public let identifier: String

    /// The clockwise angle; multiples of 90 are lossless.
    public let degrees: CGFloat

    /// Fills the area around the image; nil leaves it transparent.
    public let backgroundColor: KFCrossPlatformColor?

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - degrees: The clockwise angle; multiples of 90 are lossless.
    ///   - backgroundColor: Fills the area around the image; nil leaves it transparent.
    public init(degrees: CGFloat, backgroundColor: KFCrossPlatformColor? = nil) {
        self.degrees = degrees
        self.backgroundColor = backgroundColor
        let background = backgroundColor.map { "_\($0.rgbaDescription)" } ?? ""
        identifier =
            "com.onevcat.Kingfisher.RotatingImageProcessor("
            + "\(NumberText.number(degrees)))\(background)"
    }

    /// Rotates the image; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
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
        let angle = degrees.truncatingRemainder(dividingBy: 360) * .pi / 180
        let (width, height) = (CGFloat(own.width), CGFloat(own.height))
        return PixelSize(
            width: Int((width * abs(cos(angle)) + height * abs(sin(angle))).rounded()),
            height: Int((width * abs(sin(angle)) + height * abs(cos(angle))).rounded())
        )
    }
}

/// Mirrors an image.
///
/// ```swift
/// .processor(FlippingImageProcessor(.horizontal))
/// ```
public struct FlippingImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.FlippingImageProcessor(<direction>)`.
    public let identifier: String

    /// The direction in which the image is mirrored.
    public let direction: FlipDirection

    /// Makes a processor.
    public init(_ direction: FlipDirection) {
        self.direction = direction
        identifier = "com.onevcat.Kingfisher.FlippingImageProcessor(\(direction.rawValue))"
    }

    /// Mirrors the image; nil if the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) { $0.kf.flipped(direction) }
    }
}

/// Draws a border inside the edges of an image.
///
/// ```swift
/// let processor = BorderImageProcessor(
///     border: Border(color: .black, lineWidth: 2, radius: .point(8))
/// )
/// ```
public struct BorderImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BorderImageProcessor(<rgba>_<width>_<radius>[_corner(<bits>)])`.
    public var identifier: String {
        "com.onevcat.Kingfisher.BorderImageProcessor(\(border.identifier))"
    }

    /// The style of the border.
    public let border: Border

    /// Makes a processor.
    public init(border: Border) {
        self.border = border
    }

    /// Draws the border; an image keeps its own scale.
    ///
    /// Nil if the bytes cannot be decoded. See ``ImageProcessor/process(item:options:)``.
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
