#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

extension PictureController: ImageBindingTarget {
    typealias PlaceholderContent = KFCrossPlatformImage

    var shownImage: KFCrossPlatformImage? { image }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        guard !isRefining, !isHoldingImage else { return }
        setImage(content)
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        setImage(image)
    }

    func transition(
        to image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        guard let kind = options.transition.onCanvas, isMapped, kind.seconds > 0,
            kf_widget_animations_enabled(picture)
        else {
            setImage(image)
            return completion()
        }
        finishTransition()
        self.image = image
        replaceAnimation(with: image)
        canvas.beginTransition(to: image, kind.transition)
        transition = RunningTransition(seconds: kind.seconds, completion: completion)
        onImageChange?()
        updateTicking()
    }

    func loadDidStart() {
        runningLoads += 1
        updateIndicator()
    }

    func loadDidEnd() {
        runningLoads = max(0, runningLoads - 1)
        updateIndicator()
    }

    /// Shows an image, or nothing, at once.
    func setImage(_ image: KFCrossPlatformImage?) {
        finishTransition()
        guard image !== self.image || image == nil && !canvas.isEmpty else { return }
        self.image = image
        replaceAnimation(with: image)
        canvas.show(image)
        onImageChange?()
        updateTicking()
    }
}

extension ImageTransition {
    /// The transition and its length; nil for none.
    fileprivate var onCanvas: (transition: KFTransition, seconds: Double)? {
        switch self {
        case .fade(let seconds): (KF_TRANSITION_FADE, seconds)
        // Seen without perspective a card turns the same way from both sides.
        case .flipFromLeft(let seconds), .flipFromRight(let seconds):
            (KF_TRANSITION_FLIP_VERTICAL_AXIS, seconds)
        case .flipFromTop(let seconds), .flipFromBottom(let seconds):
            (KF_TRANSITION_FLIP_HORIZONTAL_AXIS, seconds)
        default: nil
        }
    }
}
#endif
