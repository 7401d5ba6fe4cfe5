#if GTK
import Kingfisher

/// A load that waits until it is known how large, or whether, the view will show it.
final class PendingLoad {
    let source: Source
    let placeholder: KFCrossPlatformImage?
    let options: KingfisherParsedOptionsInfo
    let manager: KingfisherManager
    let progress: DownloadProgressBlock?
    /// What the caller holds; linked to the real handle when there is one.
    let handle = DownloadTask()
    /// It brings back an image that was shown before, and nobody waits for it.
    let isRepeated: Bool
    /// It was cancelled because the view left the screen, and waits again.
    var isSuspended = false
    private var completion: ImageBinding.Completion?

    /// What the completion of a load gets that was cancelled while it waited.
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

    /// The same load once more, for which nobody waits.
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

    /// Calls the completion; only the first time counts.
    func finish(_ result: Result<RetrieveImageResult, KingfisherError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    /// Tells the caller that another load took over.
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
