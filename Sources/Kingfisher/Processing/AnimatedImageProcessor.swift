public import Foundation
import KFCodecs

/// Applies a processor to every frame of an animation and returns an animation.
///
/// Not part of Kingfisher for Apple platforms. Other processors turn an animation into a still
/// image, because they draw a single bitmap. This one decodes the frames one after another, passes
/// each to a processor, and encodes the results as GIF, WebP or AVIF with the delays and the loop
/// count of the original:
///
/// ```swift
/// let small = DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
/// let options: KingfisherOptionsInfo = [.processor(AnimatedImageProcessor(small, format: .WebP))]
/// ```
///
/// The result plays in every view, ``KingfisherWrapper/gifRepresentation()`` returns its file, and
/// ``DefaultCacheSerializer`` stores that file. Still images are passed to the processor directly,
/// and so are animations loaded with `onlyLoadFirstFrame`.
///
/// Only one decoded frame is held at a time, in addition to the files. Each frame is decoded,
/// processed and encoded, which takes about 10 ms for 480 × 270 pixels.
public struct AnimatedImageProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.AnimatedImageProcessor(<format>_<quality>_[first<n>_]<processor>)`.
    public let identifier: String

    /// The processor applied to each frame.
    public let processor: any ImageProcessor

    /// The format of the result: `.GIF`, `.WebP`, `.AVIF`, or nil for the format of the original.
    ///
    /// With nil, formats that can only be decoded become WebP.
    public let format: ImageFormat?

    /// 0 (smallest) to 1 (best); used by WebP and AVIF.
    ///
    /// A GIF always has up to 256 colours per frame.
    public let compressionQuality: CGFloat

    /// The number of frames that are processed; the animation ends after them.
    public let maxFrameCount: Int

    /// Makes a processor.
    ///
    /// - Parameters:
    ///   - processor: Must return images of equal size for frames of equal size. The default keeps
    ///     frames unchanged.
    ///   - format: `.GIF`, `.WebP`, `.AVIF`, or nil for the format of the original. With nil, formats
    ///     of which animations can only be decoded become WebP; with any other format every
    ///     animation fails.
    ///   - compressionQuality: 0 (smallest) to 1 (best); used by WebP and AVIF.
    ///   - maxFrameCount: The number of frames that are processed, at least 1; by default all.
    public init(
        _ processor: any ImageProcessor = DefaultImageProcessor.default,
        format: ImageFormat? = nil,
        compressionQuality: CGFloat = 0.8,
        maxFrameCount: Int = .max
    ) {
        self.processor = processor
        self.format = format
        self.compressionQuality = compressionQuality
        self.maxFrameCount = max(1, maxFrameCount)
        let first = maxFrameCount == .max ? "" : "first\(self.maxFrameCount)_"
        let kind = format.map { "\($0)" } ?? "same"
        identifier =
            "com.onevcat.Kingfisher.AnimatedImageProcessor("
            + "\(kind)_\(NumberText.number(compressionQuality))_\(first)\(processor.identifier))"
    }

    /// Processes the frames; nil if a frame cannot be made or the bytes cannot be decoded.
    ///
    /// See ``ImageProcessor/process(item:options:)``.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        var options = options
        if item.isUntrusted { options.isolated = true }
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
        let original = source.data?.kf.imageFormat ?? .unknown
        let own = original.holdsAnimations ? original : .WebP
        let file = source.encoded(
            as: format ?? own,
            quality: compressionQuality,
            maxFrameCount: maxFrameCount
        ) { frame in
            processor.process(item: .image(frame), options: options)
        }
        guard let file else { return nil }
        return KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
            data: file,
            options: options.imageCreatingOptions
        )
    }

    /// The frames of a file, decoded in a worker if the options require it; nil if it has none.
    private func frames(
        of data: Data,
        _ options: KingfisherParsedOptionsInfo
    ) -> (any ImageFrameSource)? {
        guard options.isolated else {
            // The file is damaged or exceeds the limits; `UndecodableReason` finds the reason.
            return try? EncodedFrameSource(data, scale: options.scaleFactor)
        }
        var options = options
        options.preloadAllAnimationData = false
        let image = IsolatedDecoding.imageForBlockingCaller(of: data, options)
        return image?.kf.frameSource ?? image.map { StillFrame(image: $0) }
    }
}

/// A still image as an animation of one frame.
private struct StillFrame: ImageFrameSource {
    let image: KFCrossPlatformImage

    var data: Data? { nil }
    var frameCount: Int { 1 }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? { image }

    func duration(at index: Int) -> TimeInterval { .infinity }
}

extension ImageProcessItem {
    /// The bytes of a possible animation according to the header; nil for still images.
    ///
    /// For an isolated load every file is a possible animation, because not all headers are parsed
    /// in this process.
    fileprivate func animationData(_ options: KingfisherParsedOptionsInfo) -> Data? {
        let data =
            switch self {
            case .data(let data): data
            case .image(let image): image.kf.gifRepresentation()
            }
        if options.isolated { return data }
        // Unreadable bytes are left for the processor to refuse.
        guard let data, let info = try? Codecs.inspect(data), info.frameCount != 1 else {
            return nil
        }
        return data
    }
}
