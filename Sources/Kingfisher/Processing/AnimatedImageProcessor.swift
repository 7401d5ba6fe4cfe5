import Codecs
public import Foundation

/// Applies a processor to every frame of an animation, which stays an animation; ours beyond the
/// reference.
///
/// The other processors make a still of an animation, because they draw one picture. This one
/// decodes the frames one after the other, gives each to a processor, and encodes the results as
/// GIF or WebP, with the times and the number of rounds of the original:
///
/// ```swift
/// let small = DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
/// let options: KingfisherOptionsInfo = [.processor(AnimatedImageProcessor(small, format: .WebP))]
/// ```
///
/// The result plays in every view, ``KingfisherWrapper/gifRepresentation()`` has its file, and
/// ``DefaultCacheSerializer`` stores that. Stills, and animations of which the options want the first
/// frame alone, are given to the processor as they are.
///
/// One frame is held at a time, beside the files. A frame costs its decoding, the processor and its
/// encoding: some 10 ms for 480 × 270 pixels.
public struct AnimatedImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.AnimatedImageProcessor(<format>_<quality>_<processor>)`.
    public let identifier: String

    /// What every frame goes through.
    public let processor: any ImageProcessor

    /// What the result is encoded as: `.GIF` or `.WebP`, or nil for the format of the original, and
    /// WebP for formats that are only read.
    public let format: ImageFormat?

    /// 0 (smallest) to 1 (best), for WebP; a GIF always keeps 255 colours a frame.
    public let compressionQuality: CGFloat

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - processor: Has to make images of one size of frames of one size. The default leaves frames
    ///     as they are.
    ///   - format: `.GIF` or `.WebP`; with others every animation fails. Nil for that of the original,
    ///     and WebP for formats that are only read.
    ///   - compressionQuality: 0 (smallest) to 1 (best), for WebP.
    public init(
        _ processor: any ImageProcessor = DefaultImageProcessor.default,
        format: ImageFormat? = nil,
        compressionQuality: CGFloat = 0.8
    ) {
        self.processor = processor
        self.format = format
        self.compressionQuality = compressionQuality
        let kind = format.map { "\($0)" } ?? "same"
        identifier =
            "com.onevcat.Kingfisher.AnimatedImageProcessor("
            + "\(kind)_\(NumberText.number(compressionQuality))_\(processor.identifier))"
    }

    /// Processes the frames; nil when one of them cannot be made, or the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard !options.onlyLoadFirstFrame, let data = item.animationData(options) else {
            return processor.process(item: item, options: options)
        }
        if options.isolated, PortableProcessors.contain(self) {
            return IsolatedDecoding.imageForBlockingCaller(of: data, by: self, options)
        }
        guard let source = frames(of: data, options) else { return nil }
        guard source.frameCount > 1 else {
            return processor.process(item: item, options: options)
        }
        let own: ImageFormat = source.data?.kf.imageFormat == .GIF ? .GIF : .WebP
        let file = source.encoded(as: format ?? own, quality: compressionQuality) { frame in
            processor.process(item: .image(frame), options: options)
        }
        guard let file else { return nil }
        return KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
            data: file,
            options: options.imageCreatingOptions
        )
    }

    /// The frames of a file, decoded where the options say; nil when there are none.
    private func frames(
        of data: Data,
        _ options: KingfisherParsedOptionsInfo
    ) -> (any ImageFrameSource)? {
        guard options.isolated else {
            // Above the limits, or damaged: `UndecodableReason` tells which.
            return try? EncodedFrameSource(data, scale: options.scaleFactor)
        }
        var options = options
        options.preloadAllAnimationData = false
        let image = IsolatedDecoding.imageForBlockingCaller(of: data, options)
        return image?.kf.frameSource ?? image.map { StillFrame(image: $0) }
    }
}

/// A picture as an animation of one frame.
private struct StillFrame: ImageFrameSource {
    let image: KFCrossPlatformImage

    var data: Data? { nil }
    var frameCount: Int { 1 }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? { image }

    func duration(at index: Int) -> TimeInterval { .infinity }
}

extension ImageProcessItem {
    /// The bytes of what may be an animation by its header; nil for stills.
    ///
    /// For an isolated load any file may be one: not every header is read in this process.
    fileprivate func animationData(_ options: KingfisherParsedOptionsInfo) -> Data? {
        let data =
            switch self {
            case .data(let data): data
            case .image(let image): image.kf.gifRepresentation()
            }
        if options.isolated { return data }
        // Unreadable bytes are for the processor to refuse.
        guard let data, let info = try? Codecs.inspect(data), info.frameCount != 1 else {
            return nil
        }
        return data
    }
}
