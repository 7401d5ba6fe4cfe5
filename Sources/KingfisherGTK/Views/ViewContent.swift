#if GTK
import CKFGTK
import Kingfisher

/// The image of a view, the transition to it, and its animation.
final class ViewContent {
    /// The current image, or the target of the running transition.
    private(set) var image: KFCrossPlatformImage?
    private(set) var transition: RunningTransition? {
        didSet { sight.setMoving(.transition, transition != nil) }
    }
    /// Called after the current image was replaced.
    var onChange: (() -> Void)?
    /// Whether the image of the current load is shown, perhaps in a transition that has not ended.
    var showsLoad = false
    /// Whether an image is shown that is not a placeholder.
    var showsImage: Bool { status.showsImage }
    private var runningLoads = 0 {
        didSet { if canvas.isAlive { status.isBusy = runningLoads > 0 } }
    }
    let animation: ViewAnimation
    let canvas: PictureCanvas
    private let sight: ViewSight
    private let status: ViewStatus

    init(_ canvas: PictureCanvas, _ sight: ViewSight, _ status: ViewStatus, _ sizing: ViewSizing) {
        self.canvas = canvas
        self.sight = sight
        self.status = status
        animation = ViewAnimation(canvas, sight, sizing)
    }

    /// Shows an image, or nothing, without a transition.
    func show(_ image: KFCrossPlatformImage?, isPlaceholder: Bool = false) {
        guard canvas.isAlive else { return }
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

extension ViewContent: ImageBindingTarget {
    var shownImage: KFCrossPlatformImage? { image }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        // A load that waits keeps the current image, too.
        guard !options.keepCurrentImageWhileLoading || image == nil else { return }
        show(content, isPlaceholder: true)
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        show(image)
    }

    func transition(
        to image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        showsLoad = true
        guard let look = options.transition.look, sight.isInSight, look.seconds > 0,
            canvas.isAlive, kf_widget_animations_enabled(canvas.picture)
        else {
            show(image)
            return completion()
        }
        keeping(canvas.picture) {
            canvas.takeOver()
            let previousEnded = takeTransition()
            status.showsImage = true
            self.image = image
            animation.replace(with: image)
            canvas.beginTransition(to: image, look.kind)
            transition = RunningTransition(look, completion: completion)
            onChange?()
            layOutTransition(at: 0)
            previousEnded?()
        }
    }

    /// Counts a load, which calls the caller's indicator, before it starts.
    func countLoad() { runningLoads += 1 }

    func loadDidEnd() { runningLoads = max(0, runningLoads - 1) }
}
#endif
