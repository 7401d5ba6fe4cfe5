import Codecs
public import Foundation
package import Pixels
import Synchronization

/// A decoded picture with a scale: what `UIImage` is on Apple's platforms.
///
/// Pixels never change once the image is made, so an image can be shared by every thread. It is
/// upright: the orientation that a file stores is applied when it is decoded. Two images are equal
/// when they are the same object.
public final class KFCrossPlatformImage: Sendable, KingfisherCompatible {
    /// The pixels; nil for the empty image that ``init()`` makes.
    package let bitmap: Bitmap?

    /// How many pixels one point has on each side, 1 unless told otherwise.
    public let scale: CGFloat

    /// The frames of an animation that were decoded up front, nil for a still.
    ///
    /// An animation of a single frame has one of them.
    public let images: [KFCrossPlatformImage]?

    /// Seconds that one round of ``images`` takes: 0 for a still, infinite for a single frame.
    public let duration: TimeInterval

    let attached: Mutex<AttachedState>

    /// What the toolkit on the screen paints.
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

    /// Whether an image can have this scale: what is far from any screen's makes sizes that no
    /// number can hold.
    static func isScale(_ scale: CGFloat) -> Bool { scale > 1e-6 && scale < 1e6 }

    /// Makes an image without pixels.
    public convenience init() {
        self.init(bitmap: nil)
    }

    /// Decodes a picture; nil when the bytes are none, are damaged or exceed the default limits.
    ///
    /// - Parameters:
    ///   - data: A file of any format that this build reads.
    ///   - scale: Pixels per point.
    public convenience init?(data: Data, scale: CGFloat = 1) {
        // The initialiser's contract is nil for anything that cannot be shown.
        guard let decoded = try? Codecs.decode(data) else { return nil }
        self.init(bitmap: decoded.bitmap, scale: scale)
    }

    /// Reads and decodes a file; nil when it cannot be read or is no picture.
    public convenience init?(contentsOfFile path: String) {
        // The initialiser's contract is nil for anything that cannot be shown.
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
