import TestSupport

@testable import Kingfisher

/// A type unrelated to views that becomes a loading target by its conformance.
@MainActor
final class Avatar: KingfisherHasImageComponent {
    var image: KFCrossPlatformImage? {
        didSet { onSet?(image) }
    }
    /// Called with every image that is set.
    var onSet: ((KFCrossPlatformImage?) -> Void)?
}

/// A suite that loads into one avatar from its own server.
@MainActor
protocol AvatarLoading {
    var bench: TestBench { get }
    var avatar: Avatar { get }
}

extension AvatarLoading {
    /// Starts a load; its result arrives in `pending`.
    func start(
        _ source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo = [],
        progress: DownloadProgressBlock? = nil
    ) -> (pending: Pending, task: DownloadTask?) {
        let pending = Pending()
        let task = avatar.kf.setImage(
            with: source,
            placeholder: placeholder,
            options: bench.viewOptions + options,
            progressBlock: progress,
            completionHandler: pending.completion
        )
        return (pending, task)
    }
}
