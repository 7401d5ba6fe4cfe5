public import Foundation
import Pixels

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
