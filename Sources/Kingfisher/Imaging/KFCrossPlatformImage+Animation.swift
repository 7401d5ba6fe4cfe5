public import Foundation
import Synchronization

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image without the frames and the file of its animation; a still image itself.
    ///
    /// Not part of Kingfisher for Apple platforms. Encoders make a file of this one image, and never
    /// return the animation's.
    public var still: KFCrossPlatformImage {
        guard base.images != nil || base.attached.withLock({ $0.isAnimation }) else { return base }
        return KFCrossPlatformImage(bitmap: base.bitmap, scale: base.scale)
            .kf.withColorProfile(colorProfile)
    }

    /// Makes an animated image from encoded bytes of any animated format.
    ///
    /// - Parameters:
    ///   - data: A GIF, APNG, WebP or AVIF; a still image counts as one frame.
    ///   - options: With `preloadAll` all frames are decoded now. Otherwise only the first frame
    ///     is, and the others on demand by ``frameSource``. An animation whose frames together
    ///     exceed the memory limit is never preloaded.
    /// - Returns: The image; nil if the bytes cannot be decoded or a frame to preload is damaged.
    public static func animatedImage(
        data: Data,
        options: ImageCreatingOptions
    ) -> KFCrossPlatformImage? {
        // Nil is the documented result for undecodable bytes; `UndecodableReason` finds the reason.
        guard let source = try? EncodedFrameSource(data, scale: options.scale) else { return nil }
        var options = options
        if !source.fitsInMemory { options.preloadAll = false }
        return animatedImage(source: source, options: options)
    }

    /// Makes an animated image from a source of frames.
    ///
    /// - Parameters:
    ///   - source: The frames.
    ///   - options: See the overload for encoded bytes.
    ///   - baseImage: Shown until the animation plays; defaults to the first frame.
    /// - Returns: The image; nil if there are no frames or a frame to decode now is damaged.
    public static func animatedImage(
        source: any ImageFrameSource,
        options: ImageCreatingOptions,
        baseImage: KFCrossPlatformImage? = nil
    ) -> KFCrossPlatformImage? {
        guard source.frameCount > 0, let first = baseImage ?? source.frame(at: 0) else {
            return nil
        }
        var state = AttachedState()
        state.file = source.data.map {
            AnimationFile(data: $0, isUntrusted: source is any UntrustedFrames)
        }
        state.frameCount = source.frameCount
        state.creatingOptions = options
        if options.onlyFirstFrame {
            return KFCrossPlatformImage(
                bitmap: first.bitmap,
                scale: options.scale,
                attached: state
            )
        }
        guard options.preloadAll else {
            state.frameSource = source
            return KFCrossPlatformImage(
                bitmap: first.bitmap,
                scale: options.scale,
                attached: state
            )
        }
        let frames = (0..<source.frameCount).compactMap { source.frame(at: $0) }
        guard frames.count == source.frameCount else { return nil }
        let delays = frames.indices.map { source.duration(at: $0) }
        state.decodedFrames = DecodedFrames(
            images: frames,
            delays: delays,
            loopCount: (source as? any LoopCounting)?.loopCount ?? 0
        )
        // A single frame is shown without end.
        let sum = frames.count == 1 ? .infinity : delays.reduce(0, +)
        return KFCrossPlatformImage(
            bitmap: first.bitmap,
            scale: options.scale,
            images: frames,
            duration: options.duration > 0 ? options.duration : sum,
            attached: state
        )
    }
}
