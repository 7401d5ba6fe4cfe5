#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

extension PictureController: ImageBindingTarget {
    typealias PlaceholderContent = KFCrossPlatformImage

    var shownImage: KFCrossPlatformImage? { content.image }

    func showPlaceholder(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        guard !isRefining, !isHoldingImage else { return }
        content.show(image, isPlaceholder: true)
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        content.show(image)
    }

    func transition(
        to image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        inForce?.isShown = true
        guard let look = options.transition.look, sight.isInSight, look.seconds > 0,
            kf_widget_animations_enabled(picture)
        else {
            content.show(image)
            return completion()
        }
        content.show(image, with: look, completion: completion)
    }

    func loadDidStart() {
        runningLoads += 1
        loadingChanged()
    }

    func loadDidEnd() {
        runningLoads = max(0, runningLoads - 1)
        loadingChanged()
    }

    private func loadingChanged() {
        let isLoading = runningLoads > 0 && !isRefining
        status.isBusy = isLoading
        indicator.isLoading = isLoading
    }
}
#endif
