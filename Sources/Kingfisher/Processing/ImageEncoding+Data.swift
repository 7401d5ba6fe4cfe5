public import Foundation
import KFCodecs

extension ImageEncoding {
    /// Encodes an image.
    ///
    /// Checks now and then whether the current task was cancelled. The libraries for AVIF and JPEG
    /// XL cannot: in a task they encode in a worker process, which is ended with it, if `main` begins
    /// with ``ProcessIsolation/runWorkerIfAsked()``.
    ///
    /// - Parameter image: The image; an animation becomes a still in formats without animations.
    /// - Returns: The file; nil if the format cannot represent the image, this build cannot encode
    ///   the format, or the task was cancelled.
    public func data(of image: KFCrossPlatformImage) -> Data? {
        let isAnimated = image.hasFrames && format.holdsAnimations
        let hasOptions =
            isProgressive || maxColorCount != nil || subsamplesChroma != nil
            || isVariantLossless || effort != nil && !isAnimated
        // A GIF is encoded again, because its frames may have changed.
        if !hasOptions, format != .GIF, let file = image.kf.gifRepresentation(),
            file.kf.imageFormat == format
        {
            return file
        }
        if isAnimated, let frames = image.frames {
            return frames.encoded(as: format, quality: quality, isLossless: isVariantLossless)
        }
        let options = EncodeOptions(
            quality: Double(quality),
            isProgressive: isProgressive,
            isLossless: isVariantLossless,
            precision: Double(quality),
            effort: effort,
            maxColorCount: maxColorCount,
            subsamplesChroma: subsamplesChroma,
            profile: image.kf.colorProfile,
            isCancelled: { Task.isCancelled }
        )
        let format = format.fileFormat ?? .png
        if withUnsafeCurrentTask(body: { $0 != nil }), !Task.isCancelled,
            let encoding = IsolatedEncoding(image, as: format, options)
        {
            do throws(WorkerFailure) {
                return try encoding.file { !Task.isCancelled }
            } catch {
                Log.debug("encoding in a worker failed: \(error)", key: identifier)
                guard error.isOfSystem else { return nil }
            }
        }
        return image.encoded(as: format, options)
    }
}

extension WorkerFailure {
    /// Whether there is no worker for any encoding.
    fileprivate var isOfSystem: Bool {
        switch self {
        case .cannotStart, .noProcess, .noMemory, .requestTooLarge, .stopped, .forbiddenCall: true
        case .crashed, .exited, .timedOut, .invalidAnswer, .cancelled: false
        }
    }
}
