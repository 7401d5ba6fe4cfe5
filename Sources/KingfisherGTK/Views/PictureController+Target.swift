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
        takeOver()
        setImage(content, isPlaceholder: true)
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        takeOver()
        setImage(image)
    }

    func transition(
        to image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        inForce?.isShown = true
        takeOver()
        guard let look = options.transition.look, sight.isInSight, look.seconds > 0,
            kf_widget_animations_enabled(picture)
        else {
            setImage(image)
            return completion()
        }
        keepingPicture {
            let previousEnded = takeTransition()
            self.image = image
            status.showsImage = true
            animation.replace(with: image)
            canvas.beginTransition(to: image, look.kind)
            transition = RunningTransition(look, completion: completion)
            layOutTransition(at: 0)
            onImageChange?()
            updateTicking()
            previousEnded?()
        }
    }

    func loadDidStart() {
        runningLoads += 1
        updateIndicator()
    }

    func loadDidEnd() {
        runningLoads = max(0, runningLoads - 1)
        updateIndicator()
    }

    /// Shows an image, or nothing, without a transition.
    func setImage(_ image: KFCrossPlatformImage?, isPlaceholder: Bool = false) {
        keepingPicture {
            let transitionEnded = takeTransition()
            defer { transitionEnded?() }
            status.showsImage = image != nil && !isPlaceholder
            guard image !== self.image || image == nil && !canvas.isEmpty else { return }
            self.image = image
            animation.replace(with: image)
            canvas.show(image)
            onImageChange?()
            updateTicking()
        }
    }

    /// Releases the image while the view is off screen; the layout keeps its size.
    func releaseImage() {
        image = nil
        status.showsImage = false
        animation.replace(with: nil)
        canvas.release()
        onImageChange?()
        updateTicking()
    }
}
#endif
