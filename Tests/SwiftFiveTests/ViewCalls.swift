import Foundation
import Kingfisher

/// A type of the program's own, which takes images.
final class Card: KingfisherHasImageComponent {
    var image: KFCrossPlatformImage?
}

/// A placeholder that is a view.
final class Veil: KFCrossPlatformView, Placeholder {}

/// Every form of the calls that set images, with the types that programs write.
@MainActor
final class ViewCalls {
    typealias SetImage = (
        Source?, KFCrossPlatformImage?, KingfisherOptionsInfo?, DownloadProgressBlock?,
        (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask?

    /// The calls whose completion was called.
    private(set) var log: [String] = []
    private let url: URL?
    private let options: KingfisherOptionsInfo
    private let image = KFCrossPlatformImage()

    init(url: URL, options: KingfisherOptionsInfo) {
        self.url = url
        self.options = options
    }

    func note(_ call: String) { log.append(call) }

    func fill(_ view: KFCrossPlatformImageView) {
        let old: KFCrossPlatformImage? = image
        let veil: Placeholder? = Veil()
        view.kf.setImage(with: url, placeholder: old, options: options)
        view.kf.setImage(with: url, placeholder: Veil(), options: options)
        view.kf.setImage(with: url, placeholder: veil, options: options, progressBlock: nil)
        view.kf.setImage(with: url, placeholder: nil, options: options) { _ in
            self.note("view")
        }
    }

    func fill(_ button: KFCrossPlatformButton, with provider: ImageDataProvider) {
        button.kf.setImage(with: provider, placeholder: .init(), options: options)
        button.kf.setImage(with: .provider(provider), options: options) { _, _ in
        } completionHandler: { _ in
            self.note("button")
        }
        button.kf.setAlternateImage(with: url, placeholder: image, options: options) { _ in
            self.note("alternate")
        }
        button.kf.cancelImageDownloadTask()
        button.kf.cancelAlternateImageDownloadTask()
        _ = (button.kf.taskIdentifier, button.kf.alternateTaskIdentifier)
    }

    func fill<Target: KingfisherImageSettable>(_ target: Target, with resource: Resource) {
        target.kf.setImage(with: resource, placeholder: image, options: options) {
            received,
            total in
            _ = received < total
        }
        let set: SetImage = target.kf.setImage(
            with:
            placeholder:
            options:
            progressBlock:
            completionHandler:
        )
        _ = set(resource.convertToSource(), nil, options, nil) { _ in self.note("target") }
    }

    func clear(_ target: KingfisherHasImageComponent) {
        target.image = nil
        if let settable = target as? KingfisherImageSettable {
            KF.url(url).set(to: settable)
            settable.setImage(image, options: KingfisherParsedOptionsInfo(options))
        }
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImageView {
    /// A helper of the program's own on views of this kind.
    @MainActor
    func setAvatar(of url: URL?, options: KingfisherOptionsInfo, done: @escaping () -> Void) {
        setImage(with: url, placeholder: Veil(), options: options) { _ in done() }
    }
}

extension KingfisherWrapper where Base: KingfisherHasImageComponent {
    /// A helper of the program's own on its types.
    @MainActor
    func setPortrait(of url: URL?, options: KingfisherOptionsInfo, done: @escaping () -> Void) {
        setImage(with: url, placeholder: base.image, options: options) { _ in done() }
    }
}
