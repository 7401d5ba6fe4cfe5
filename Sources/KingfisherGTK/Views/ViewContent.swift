#if GTK
import CKFGTKHeaders
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
    private var runningLoads = 0 {
        didSet { if canvas.isAlive { status.isBusy = runningLoads > 0 } }
    }
    let animation: ViewAnimation
    let canvas: PictureCanvas
    private let sight: ViewSight
    private let status: ViewStatus
    private let sizing: ViewSizing

    init(_ canvas: PictureCanvas, _ sight: ViewSight, _ status: ViewStatus, _ sizing: ViewSizing) {
        self.canvas = canvas
        self.sight = sight
        self.status = status
        self.sizing = sizing
        animation = ViewAnimation(canvas, sight, sizing)
    }

    isolated deinit { NetworkReturn.shared.remove(ObjectIdentifier(self)) }

    /// Shows an image, or nothing, without a transition.
    func show(_ image: KFCrossPlatformImage?, isPlaceholder: Bool = false) {
        guard canvas.isAlive else { return }
        keeping {
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

extension ViewContent: ImageWidget {
    var decodeBox: DecodeBox? { sizing.box }

    var likelyBox: DecodeBox? { sizing.likelyBox }

    var density: Double { sizing.density }

    var isInSight: Bool { sight.isInSight }

    var isInWindow: Bool { gtk_widget_get_root(canvas.picture.asWidget) != nil }

    var hasParent: Bool { gtk_widget_get_parent(canvas.picture.asWidget) != nil }

    var isInList: Bool { ListRows.contain(canvas.picture.asWidget) }

    var isAlive: Bool { canvas.isAlive }

    func extended(_ options: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo {
        options.givingTexture
    }

    func keeping<Result>(_ body: () -> Result) -> Result {
        KingfisherGTK.keeping(canvas.picture, body)
    }

    func requestLayout() { sight.watch?.requestLayout() }

    func setNeedsFrames(_ needsFrames: Bool) { sight.setMoving(.load, needsFrames) }

    func failureDidChange(to error: KingfisherError?) {
        status.failure = error
        if error != nil { NetworkReturn.shared.add(self) }
    }

    var shownImage: KFCrossPlatformImage? { image }

    var showsPlaceholder: Bool { image != nil && !status.showsImage }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
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
        guard let look = options.transition.look, sight.isInSight, look.seconds > 0,
            canvas.isAlive, kf_widget_animations_enabled(canvas.picture)
        else {
            show(image)
            return completion()
        }
        keeping {
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

    /// The layout keeps the size of the image.
    func releaseImage() {
        status.showsImage = false
        image = nil
        animation.replace(with: nil)
        canvas.release()
        onChange?()
    }

    /// Calls the caller's indicator.
    func loadWillStart() { runningLoads += 1 }

    func loadDidEnd() { runningLoads = max(0, runningLoads - 1) }
}

extension ViewContent: NetworkListener {
    func networkReturned() { canvas.controller?.loader.networkReturned() }
}
#endif
