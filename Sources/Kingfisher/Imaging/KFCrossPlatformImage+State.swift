public import Foundation
import Synchronization

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

    var creatingOptions: ImageCreatingOptions? {
        base.attached.withLock { $0.creatingOptions }
    }

    /// Copies the animation data, frame count, frame source and creating options to another image.
    public func copyKingfisherState(to target: KFCrossPlatformImage) {
        let state = base.attached.withLock { $0 }
        target.attached.withLock { $0 = state }
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
    /// The encoded bytes of an animation.
    var animatedData: Data?
    /// The number of frames of the encoded animation; nil for still images.
    var frameCount: Int?
    /// Decodes frames on demand.
    var frameSource: (any ImageFrameSource)?
    /// The options with which the image was made from its bytes.
    var creatingOptions: ImageCreatingOptions?

    package init() {}
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
