public import Foundation
import Synchronization

/// Why the library has no image of a processor; see ``KingfisherError/processingError``.
public enum ProcessingError: Error, Equatable, Sendable {
    /// The processor would make an image larger than the limits; the size is in pixels.
    case resultTooLarge(size: CGSize, limits: ResultLimits)
    /// The worker process of an isolated load returned no image.
    case isolationFailed(IsolationFailure)
}

extension KingfisherError {
    /// Why the library stopped a processor; nil for other failures.
    ///
    /// Kingfisher for Apple platforms knows neither limits nor workers, and its reasons are the only
    /// cases of ``ProcessorErrorReason``, so that the `switch` of a program written for it compiles.
    public var processingError: ProcessingError? {
        guard case .processorError(let reason) = self else { return nil }
        return reason.processingError
    }
}

extension KingfisherError.ProcessorErrorReason {
    /// The cause that the item carries.
    var processingError: ProcessingError? {
        guard case .processingFailed(_, .image(let image)) = self else { return nil }
        return image.attached.withLock { $0.failure } as? ProcessingError
    }

    /// A processor that would make an image larger than the limits.
    static func resultTooLarge(
        processor: any ImageProcessor,
        size: CGSize,
        limits: ResultLimits
    ) -> Self {
        failed(processor, .resultTooLarge(size: size, limits: limits))
    }

    /// A worker process that returned no image of a processor.
    static func isolationFailed(processor: any ImageProcessor, failure: IsolationFailure) -> Self {
        failed(processor, .isolationFailed(failure))
    }

    private static func failed(_ processor: any ImageProcessor, _ error: ProcessingError) -> Self {
        var state = AttachedState()
        state.failure = error
        let item = ImageProcessItem.image(KFCrossPlatformImage(bitmap: nil, attached: state))
        return .processingFailed(processor: processor, item: item)
    }
}
