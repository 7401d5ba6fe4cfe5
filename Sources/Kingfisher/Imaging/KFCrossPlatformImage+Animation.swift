public import Foundation

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Makes an animated image from encoded bytes of any animated format.
    ///
    /// - Parameters:
    ///   - data: A GIF, APNG, WebP or AVIF; a still counts as one frame.
    ///   - options: With `preloadAll` every frame is decoded now; otherwise the first one is, and
    ///     the others when somebody asks the ``frameSource``. An animation whose frames together
    ///     exceed the decoder's limit is never preloaded.
    /// - Returns: Nil when the bytes are no picture, or a frame to be decoded now is damaged.
    public static func animatedImage(
        data: Data,
        options: ImageCreatingOptions
    ) -> KFCrossPlatformImage? {
        // The contract is nil for anything that cannot be shown; `UndecodableReason` tells why.
        guard let source = try? EncodedFrameSource(data, scale: options.scale) else { return nil }
        var options = options
        if !source.fitsInMemory { options.preloadAll = false }
        return animatedImage(source: source, options: options)
    }

    /// Makes an animated image from a source of frames.
    ///
    /// - Parameters:
    ///   - source: Gives the frames.
    ///   - options: See the flavour for encoded bytes.
    ///   - baseImage: What is shown until the animation plays; the first frame unless given.
    /// - Returns: Nil when a frame to be decoded now cannot be.
    public static func animatedImage(
        source: any ImageFrameSource,
        options: ImageCreatingOptions,
        baseImage: KFCrossPlatformImage? = nil
    ) -> KFCrossPlatformImage? {
        guard source.frameCount > 0, let first = baseImage ?? source.frame(at: 0) else {
            return nil
        }
        var state = AttachedState()
        state.animatedData = source.data
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
        // The only frame is shown until something else is.
        let sum =
            frames.count == 1
            ? .infinity : (0..<source.frameCount).reduce(0) { $0 + source.duration(at: $1) }
        return KFCrossPlatformImage(
            bitmap: first.bitmap,
            scale: options.scale,
            images: frames,
            duration: options.duration > 0 ? options.duration : sum,
            attached: state
        )
    }
}
