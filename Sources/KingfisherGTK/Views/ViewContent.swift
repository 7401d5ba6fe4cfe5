#if GTK
import Kingfisher

/// The image of a view, and the transition to it.
final class ViewContent {
    /// The current image, or the target of the running transition.
    private(set) var image: KFCrossPlatformImage?
    private(set) var transition: RunningTransition? {
        didSet { sight.setMoving(.transition, transition != nil) }
    }
    /// Called after the current image was replaced.
    var onChange: (() -> Void)?
    private let canvas: PictureCanvas
    private let sight: ViewSight
    private let status: ViewStatus
    private let animation: ViewAnimation

    init(
        _ canvas: PictureCanvas,
        _ sight: ViewSight,
        _ status: ViewStatus,
        _ animation: ViewAnimation
    ) {
        self.canvas = canvas
        self.sight = sight
        self.status = status
        self.animation = animation
    }

    /// Shows an image, or nothing, without a transition.
    func show(_ image: KFCrossPlatformImage?, isPlaceholder: Bool = false) {
        keeping(canvas.picture) {
            canvas.takeOver()
            let transitionEnded = takeTransition()
            defer { transitionEnded?() }
            status.showsImage = image != nil && !isPlaceholder
            guard image !== self.image || image == nil && !canvas.isEmpty else { return }
            self.image = image
            animation.replace(with: image)
            canvas.show(image)
            onChange?()
        }
    }

    func show(
        _ image: KFCrossPlatformImage,
        with look: RunningTransition.Look,
        completion: @escaping () -> Void
    ) {
        keeping(canvas.picture) {
            canvas.takeOver()
            let previousEnded = takeTransition()
            status.showsImage = true
            self.image = image
            animation.replace(with: image)
            canvas.beginTransition(to: image, look.kind)
            transition = RunningTransition(look, completion: completion)
            layOutTransition(at: 0)
            onChange?()
            previousEnded?()
        }
    }

    /// Releases the image while the view is off screen; the layout keeps its size.
    func release() {
        status.showsImage = false
        image = nil
        animation.replace(with: nil)
        canvas.release()
        onChange?()
    }

    // MARK: Transition

    func advanceTransition(to time: Double) {
        guard let progress = transition?.progress(at: time) else { return }
        guard progress < 1 else { return finishTransition() }
        layOutTransition(at: progress)
    }

    /// Places the images of the transition, which the caller's code may end.
    private func layOutTransition(at progress: Double) {
        let shown = image
        let frame = transition?.look.frame
        let layers = frame?(progress)
        guard transition != nil, image === shown else { return }
        if let layers { canvas.setLayers(layers) }
        canvas.progress = progress
    }

    /// Completes the current transition, if any.
    func finishTransition() { takeTransition()?() }

    /// Ends the current transition, if any.
    ///
    /// - Returns: Its completion, which is the caller's code. Call it last, because it may start
    ///   another load or destroy the view.
    func takeTransition() -> (() -> Void)? {
        guard let running = transition else { return nil }
        transition = nil
        canvas.progress = 1
        return running.completion
    }
}
#endif
