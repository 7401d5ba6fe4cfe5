#if GTK
import Foundation
import Kingfisher

/// A load that has failed, and is repeated when its view is seen again or the network returns.
struct FailedLoad {
    let load: PendingLoad
    let error: KingfisherError
}

/// A load that waits until the size of the view, or its visibility, is known.
final class PendingLoad {
    let source: Source
    let placeholder: KFCrossPlatformImage?
    let options: KingfisherParsedOptionsInfo
    let manager: KingfisherManager
    let progress: DownloadProgressBlock?
    /// The caller's handle; linked to the actual task when the load starts.
    let handle = DownloadTask()
    /// Whether the load restores an image that was shown before; it has no completion.
    let isRepeated: Bool
    /// Whether the load was cancelled because the view left the screen, and waits again.
    var isSuspended = false
    /// Whether its image is shown, perhaps in a transition that has not ended.
    var isShown = false
    /// The size in logical pixels that the image is decoded to; nil for its own size.
    var decodedFor: CGSize?
    /// Whether the image is decoded before the view's size is known, and may be much too large.
    var isGuessed = false
    private var completion: ImageBinding.Completion?

    /// The error of a load that was cancelled while it waited.
    static let cancelled = KingfisherError.requestError(reason: .asyncTaskContextCancelled)

    init(
        source: Source,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        manager: KingfisherManager,
        progress: DownloadProgressBlock?,
        completion: ImageBinding.Completion?,
        isRepeated: Bool = false
    ) {
        self.isRepeated = isRepeated
        self.source = source
        self.placeholder = placeholder
        self.options = options
        self.manager = manager
        self.progress = progress
        self.completion = completion
    }

    /// A copy that loads the image again, without a completion.
    func again() -> PendingLoad {
        PendingLoad(
            source: source,
            placeholder: placeholder,
            options: options,
            manager: manager,
            progress: nil,
            completion: nil,
            isRepeated: true
        )
    }

    /// Calls `body` on the main actor when the handle is cancelled.
    func onCancel(_ body: @escaping @MainActor @Sendable (PendingLoad) -> Void) {
        handle.onCancel { [weak self] in
            Task { @MainActor in
                if let self { body(self) }
            }
        }
    }

    /// Calls the completion; later calls have no effect.
    func finish(_ result: Result<RetrieveImageResult, KingfisherError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    /// Reports that another load has replaced this one.
    func supersede() {
        let reason = KingfisherError.ImageSettingErrorReason.notCurrentSourceTask(
            result: nil,
            error: nil,
            source: source
        )
        finish(.failure(.imageSettingError(reason: reason)))
    }
}
#endif
