import Codecs
public import Foundation
package import Pixels
import Synchronization

/// A decoded image with a scale; the counterpart of `UIImage`.
///
/// Pixels are immutable, so an image can be shared between threads. Images are upright: the
/// orientation stored in a file is applied when decoding. Two images are equal if they are the same
/// object.
public final class KFCrossPlatformImage: Sendable, KingfisherCompatible {
    /// The pixels; nil for the empty image that ``init()`` makes.
    package let bitmap: Bitmap?

    /// The number of pixels per point in each direction; 1 by default.
    public let scale: CGFloat

    /// The frames of an animation that was preloaded; nil for a still image.
    ///
    /// An animation of a single frame has one element.
    public let images: [KFCrossPlatformImage]?

    /// The duration of one loop of ``images`` in seconds: 0 for a still image, infinite for a
    /// single frame.
    public let duration: TimeInterval

    let attached: Mutex<AttachedState>

    /// The object with which the toolkit paints the image.
    let drawable = Mutex<(any AnyObject & Sendable)?>(nil)

    package init(
        bitmap: Bitmap?,
        scale: CGFloat = 1,
        images: [KFCrossPlatformImage]? = nil,
        duration: TimeInterval = 0,
        attached: AttachedState = AttachedState()
    ) {
        self.bitmap = bitmap
        self.scale = Self.isScale(scale) ? scale : 1
        self.images = images
        self.duration = duration
        self.attached = Mutex(attached)
    }

    /// Whether the scale is valid.
    ///
    /// Extreme values would make sizes that overflow.
    static func isScale(_ scale: CGFloat) -> Bool { scale > 1e-6 && scale < 1e6 }

    /// Makes an image without pixels.
    public convenience init() {
        self.init(bitmap: nil)
    }

    /// Decodes an image; nil if the bytes are no image, damaged or above the default limits.
    ///
    /// - Parameters:
    ///   - data: A file of any format that this build can decode.
    ///   - scale: Pixels per point.
    public convenience init?(data: Data, scale: CGFloat = 1) {
        // Nil is the documented result for undecodable bytes.
        guard let decoded = try? Codecs.decode(data) else { return nil }
        self.init(bitmap: decoded.bitmap, scale: scale)
    }

    /// Reads and decodes a file; nil if it cannot be read or decoded.
    public convenience init?(contentsOfFile path: String) {
        // Nil is the documented result for an unreadable file.
        let limit = DecodeLimits.default.maxInputBytes
        guard let data = try? RegularFile.read(path, maxBytes: limit) else { return nil }
        self.init(data: data)
    }

    /// The size in points: pixels divided by ``scale``.
    public var size: CGSize {
        CGSize(width: CGFloat(pixelWidth) / scale, height: CGFloat(pixelHeight) / scale)
    }

    /// The width in pixels.
    public var pixelWidth: Int { bitmap?.width ?? 0 }

    /// The height in pixels.
    public var pixelHeight: Int { bitmap?.height ?? 0 }
}

extension KFCrossPlatformImage: Hashable {
    /// Whether both are the same object.
    public static func == (left: KFCrossPlatformImage, right: KFCrossPlatformImage) -> Bool {
        left === right
    }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension KFCrossPlatformImage: CustomStringConvertible {
    /// The size in pixels and the scale.
    public var description: String {
        let frames = images.map { ", \($0.count) frames" } ?? ""
        return "<Image \(pixelWidth) × \(pixelHeight) pixels @\(scale)x\(frames)>"
    }
}
