public import Foundation
import KFCodecs
package import KFPixels
import Synchronization

/// A decoded image with a scale; the counterpart of `UIImage`.
///
/// Pixels are immutable, so an image can be shared between threads. Images are upright: the
/// orientation stored in a file is applied when decoding. Two images are equal if they are the same
/// object.
///
/// ```swift
/// guard let image = KFCrossPlatformImage(contentsOfFile: "photo.jpg") else { return }
/// let small = image.kf.resize(to: CGSize(width: 300, height: 300), for: .aspectFit)
/// try small.jpegData(compressionQuality: 0.8)?.write(to: file)
/// ```
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

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The number of frames of the animation that the image was made from; nil for still images.
    public var imageFrameCount: Int? {
        get { base.attached.withLock { $0.frameCount } }
        nonmutating set { base.attached.withLock { $0.frameCount = newValue } }
    }

    /// Decodes frames on demand; nil for still images and preloaded animations.
    public var frameSource: (any ImageFrameSource)? {
        base.attached.withLock { $0.frameSource }
    }

    /// Whether the image's file ended before all its pixels were there.
    ///
    /// See ``KingfisherOptionsInfoItem/acceptsTruncatedFiles``.
    public var isTruncated: Bool { base.attached.withLock { $0.isTruncated } }

    var creatingOptions: ImageCreatingOptions? {
        base.attached.withLock { $0.creatingOptions }
    }

    /// Copies the animation data, frame count, frame source, creating options, colour profile and
    /// the mark of a truncated file to another image.
    public func copyKingfisherState(to target: KFCrossPlatformImage) {
        let state = base.attached.withLock { $0 }
        target.attached.change { $0 = state }
    }

    /// The image itself, since images are always upright.
    public var normalized: KFCrossPlatformImage { base }

    /// The same pixels at another scale; the image itself if the scale is equal or invalid.
    public func scaled(to scale: CGFloat) -> KFCrossPlatformImage {
        guard scale != base.scale, KFCrossPlatformImage.isScale(scale) else { return base }
        let image = KFCrossPlatformImage(bitmap: base.bitmap, scale: scale)
        base.kf.copyKingfisherState(to: image)
        return image
    }

    /// The image itself, since its pixels are always decoded.
    public var decoded: KFCrossPlatformImage { base }

    /// The image at another scale; a preloaded animation is returned unchanged.
    public func decoded(scale: CGFloat) -> KFCrossPlatformImage {
        guard base.images == nil else { return base }
        return scaled(to: scale)
    }
}

/// Additional state of an image besides its pixels.
package struct AttachedState: Sendable {
    /// The encoded file of an animation.
    var file: AnimationFile?
    /// The number of frames of the encoded animation; nil for still images.
    var frameCount: Int?
    /// Decodes frames on demand.
    var frameSource: (any ImageFrameSource)?
    /// The frames of a preloaded animation.
    var decodedFrames: DecodedFrames?
    /// The options with which the image was made from its bytes.
    var creatingOptions: ImageCreatingOptions?
    /// The ICC profile of the pixels; nil for sRGB.
    var colorProfile: Data?
    /// Whether the file ended before all pixels were there.
    var isTruncated = false
    /// Why there are no pixels.
    var failure: (any Error)?

    package init() {}

    /// Whether there are further frames, or a file that may have them.
    var isAnimation: Bool { file != nil || frameSource != nil || decodedFrames != nil }
}

extension KFCrossPlatformImage {
    /// The object with which a toolkit paints this image; made on first use and kept with the
    /// image.
    ///
    /// Safe on any thread; concurrent first calls make only one object.
    package func drawable<Drawable: AnyObject & Sendable>(
        orMake make: () -> Drawable?
    ) -> Drawable? {
        drawable.withLock { kept in
            if let kept = kept as? Drawable { return kept }
            let made = make()
            kept = made
            return made
        }
    }
}
