public import Foundation
public import Kingfisher

/// A small image of known colours, also available as an encoded file.
///
/// PNG keeps solid colours exactly; JPEG may change a channel slightly.
public struct ScriptedPicture: Sendable, Hashable {
    /// A file format that every build of the library can encode.
    public enum Format: Sendable, Hashable {
        /// Lossless, with transparency.
        case png
        /// At full quality, without transparency.
        case jpeg

        var contentType: String {
            switch self {
            case .png: "image/png"
            case .jpeg: "image/jpeg"
            }
        }
    }

    /// The colour at the left edge.
    public let left: KFCrossPlatformColor
    /// The colour at the right edge; colours between the edges are interpolated linearly.
    public let right: KFCrossPlatformColor
    /// The width in pixels, 1…65,535.
    public let width: Int
    /// The height in pixels, 1…65,535.
    public let height: Int

    private init(
        _ left: KFCrossPlatformColor,
        _ right: KFCrossPlatformColor,
        width: Int,
        height: Int
    ) {
        precondition(
            (1...65_535).contains(width) && (1...65_535).contains(height),
            "an image needs 1 to 65,535 pixels on each side, not \(width) × \(height)"
        )
        self.left = left
        self.right = right
        self.width = width
        self.height = height
    }

    /// An image of one colour.
    ///
    /// Traps if a side is out of range.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - width: In pixels, 1…65,535.
    ///   - height: In pixels, 1…65,535.
    /// - Returns: The image.
    public static func solid(
        _ color: KFCrossPlatformColor,
        width: Int = 64,
        height: Int = 48
    ) -> ScriptedPicture {
        ScriptedPicture(color, color, width: width, height: height)
    }

    /// An image with a horizontal gradient.
    ///
    /// Traps if a side is out of range.
    ///
    /// - Parameters:
    ///   - left: The colour at the left edge.
    ///   - right: The colour at the right edge.
    ///   - width: In pixels, 1…65,535.
    ///   - height: In pixels, 1…65,535.
    /// - Returns: The image.
    public static func gradient(
        from left: KFCrossPlatformColor,
        to right: KFCrossPlatformColor,
        width: Int = 64,
        height: Int = 48
    ) -> ScriptedPicture {
        ScriptedPicture(left, right, width: width, height: height)
    }

    /// The image at scale 1.
    public var image: KFCrossPlatformImage {
        var row = Data(capacity: width * 4)
        for x in 0..<width {
            let share = width > 1 ? CGFloat(x) / CGFloat(width - 1) : 0
            row.append(contentsOf: premultiplied(at: share))
        }
        var pixels = Data(capacity: row.count * height)
        for _ in 0..<height { pixels.append(row) }
        let image = KFCrossPlatformImage(premultipliedRGBA: pixels, width: width, height: height)
        guard let image else {
            preconditionFailure("out of memory for an image of \(width) × \(height) pixels")
        }
        return image
    }

    /// The image as an encoded file.
    public func data(as format: Format = .png) -> Data {
        let data =
            switch format {
            case .png: image.kf.pngRepresentation()
            case .jpeg: image.kf.jpegRepresentation(compressionQuality: 1)
            }
        guard let data else {
            preconditionFailure("an image of \(width) × \(height) pixels cannot be encoded")
        }
        return data
    }

    private func premultiplied(at share: CGFloat) -> [UInt8] {
        func mixed(_ one: CGFloat, _ other: CGFloat) -> CGFloat {
            min(1, max(0, one + (other - one) * share))
        }
        let alpha = mixed(left.alpha, right.alpha)
        let channels = [
            mixed(left.red, right.red), mixed(left.green, right.green),
            mixed(left.blue, right.blue),
        ]
        return channels.map { UInt8(($0 * alpha * 255).rounded()) }
            + [UInt8((alpha * 255).rounded())]
    }
}
