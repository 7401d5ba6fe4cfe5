public import Foundation
import Synchronization

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The number of frames of the animation that the image was made from, nil for stills.
    public var imageFrameCount: Int? {
        get { base.attached.withLock { $0.frameCount } }
        nonmutating set { base.attached.withLock { $0.frameCount = newValue } }
    }

    /// Decodes the frames of the animation on demand; nil for stills and preloaded animations.
    public var frameSource: (any ImageFrameSource)? {
        base.attached.withLock { $0.frameSource }
    }

    var creatingOptions: ImageCreatingOptions? {
        base.attached.withLock { $0.creatingOptions }
    }

    /// Copies what is attached to the image (bytes of an animation, frame count, frame source,
    /// creating options) to another image.
    public func copyKingfisherState(to target: KFCrossPlatformImage) {
        let state = base.attached.withLock { $0 }
        target.attached.withLock { $0 = state }
    }

    /// The same pixels with the orientation applied: the image itself, since images are upright.
    public var normalized: KFCrossPlatformImage { base }

    /// The same pixels with another scale; the image itself when the scale is equal.
    public func scaled(to scale: CGFloat) -> KFCrossPlatformImage {
        guard scale != base.scale, KFCrossPlatformImage.isScale(scale) else { return base }
        let image = KFCrossPlatformImage(bitmap: base.bitmap, scale: scale)
        base.kf.copyKingfisherState(to: image)
        return image
    }

    /// The image itself: its pixels are always decoded.
    public var decoded: KFCrossPlatformImage { base }

    /// The decoded pixels at a scale; an animated image is returned as it is.
    public func decoded(scale: CGFloat) -> KFCrossPlatformImage {
        guard base.images == nil else { return base }
        return scaled(to: scale)
    }
}

/// What an image carries besides its pixels.
package struct AttachedState: Sendable {
    /// The encoded bytes of an animation.
    var animatedData: Data?
    /// How many frames the encoded animation has; nil when it was not made from one.
    var frameCount: Int?
    /// Decodes further frames on demand.
    var frameSource: (any ImageFrameSource)?
    /// How the image was made from its bytes.
    var creatingOptions: ImageCreatingOptions?

    package init() {}
}

extension KFCrossPlatformImage {
    /// What a toolkit made of this image to paint it, made on first use and kept with the image.
    ///
    /// Safe on any thread; two threads that come first together wait for one of them.
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
