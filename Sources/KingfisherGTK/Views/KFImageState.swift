#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// The configuration and state of a ``KFImage``; attached to its widget and released with it.
final class KFImageState {
    /// The phase during which an overlay is visible.
    enum Phase {
        case loading
        case failed
    }

    static let data = ObjectData<KFImageState>(name: "kingfisher-kfimage")

    let view = ImageView()
    private(set) var source: Source?
    var options: KingfisherParsedOptionsInfo
    var placeholder: KFCrossPlatformImage?
    /// The placeholder made from a hash; applies to a single source.
    private var preview: (image: KFCrossPlatformImage?, isForNext: Bool) = (nil, false)
    /// Makes the widget for a failure; ``failureView`` is the latest result.
    var makeFailureView: ((KingfisherError) -> UnsafeMutablePointer<GtkWidget>)?
    private var failureView: UnsafeMutablePointer<GtkWidget>?
    var cancelsOnDisappear = false
    var onNaturalSize: ((CGSize) -> Void)?
    var onLoadStateChange: ((KFImageLoadState) -> Void)?
    /// Receives the progress of the download for a placeholder.
    var placeholderProgress: ((Double) -> Void)?
    private(set) var loadState = KFImageLoadState.idle {
        didSet { onLoadStateChange?(loadState) }
    }
    /// Whether the priority of loads is lowered while the widget is not on screen.
    var reducesPriority = false {
        didSet {
            let isMapped = gtk_widget_get_mapped(overlay.asWidget) != 0
            let interest = ImageInterest(isMapped ? .now : .gone)
            view.controller.loader.interest = reducesPriority ? interest : nil
        }
    }
    let onFailure = Delegate<KingfisherError, Void>()
    let onSuccess = Delegate<RetrieveImageResult, Void>()
    let onProgress = Delegate<(Int64, Int64), Void>()

    /// The GtkOverlay; not retained, because it owns this object.
    let overlay: UnsafeMutableRawPointer
    /// Retained, because the caller may take them away.
    private var overlays: [(widget: GObjectReference, phase: Phase)] = []
    private var progressBar: OpaquePointer?
    private(set) var playButton: UnsafeMutablePointer<GtkWidget>?
    private var phase: Phase? {
        didSet { showOverlays() }
    }
    private var isLoaded = false
    /// Whether it belongs to a row of a list that shows no item.
    private var isCleared = false
    /// Numbers the loads, so that the end of an earlier load is not mistaken for that of the
    /// current one.
    private var loadCount = 0

    init(source: Source?) {
        precondition(gtk_is_initialized() != 0, "GTK is not initialised yet")
        guard let widget = gtk_overlay_new() else { preconditionFailure("GTK has no memory") }
        self.source = source
        overlay = UnsafeMutableRawPointer(widget)
        options = KingfisherParsedOptionsInfo(KingfisherManager.shared.defaultOptions)
        gtk_overlay_set_child(OpaquePointer(overlay), view.widget)
        Self.data.set(self, on: overlay)
        // Weak, because the view may outlive this object.
        view.controller.loader.onRetry = { [weak self] in self?.retry() }
        view.controller.loader.onSettled = { [weak self] in self?.settled($0) }
        connect(overlay, "map") { [unowned self] in
            if reducesPriority { view.controller.loader.interest?.deadline = .now }
            load()
        }
        connect(overlay, "unmap") { [unowned self] in
            if reducesPriority { view.controller.loader.interest?.deadline = .gone }
            cancelIfDisappearing()
        }
    }

    // MARK: Changing the source

    /// Sets the placeholder for the source that is set next, or for the first one.
    func setPreview(_ image: KFCrossPlatformImage?) { preview = (image, true) }

    /// Shows another source; no effect for the same one.
    func bind(to new: Source?) {
        preview = preview.isForNext ? (preview.image, false) : (nil, false)
        isCleared = false
        if new?.cacheKey == source?.cacheKey, isLoaded || phase == .loading { return }
        source = new
        isLoaded = false
        loadCount += 1
        phase = nil
        loadState = .idle
        guard gtk_widget_get_mapped(view.widget) == 0 else { return load() }
        // The current image, or the running load, belongs to the previous source.
        view.controller.loader.load(nil, placeholder: standIn, options: options, by: .shared)
    }

    /// Cancels the load and lets go of the image until another source is bound.
    func clear() {
        keeping(overlay) {
            isCleared = true
            isLoaded = false
            source = nil
            loadCount += 1
            phase = nil
            view.controller.loader.clear()
            loadState = .idle
        }
    }

    private var standIn: KFCrossPlatformImage? { preview.image ?? placeholder }

    // MARK: Retrying

    /// Loads again after a failure.
    func retry() {
        if phase == .failed { load() }
    }

    /// Whether a failed load is repeated by a click or a key; set once.
    private(set) var retriesOnClick = false

    func retryOnClick() {
        guard !retriesOnClick, let click = gtk_gesture_click_new() else { return }
        retriesOnClick = true
        connect(UnsafeMutableRawPointer(click), "released") { [unowned self] in retry() }
        // The widget takes ownership of the gesture.
        gtk_widget_add_controller(overlay.asWidget, click)
        onKeys(of: overlay, "Return|KP_Enter|space") { [unowned self] in retry() }
        showOverlays()
    }

    private func showFailure(_ error: KingfisherError) {
        guard let made = makeFailureView?(error), made != failureView else { return }
        if let failureView { removeOverlay(failureView) }
        failureView = made
        addOverlay(made, for: .failed)
    }

    // MARK: Overlays

    var showsProgress = false {
        didSet {
            guard showsProgress, progressBar == nil, let bar = gtk_progress_bar_new() else {
                return
            }
            gtk_widget_set_valign(bar, GTK_ALIGN_END)
            progressBar = OpaquePointer(bar)
            addOverlay(bar, for: .loading)
        }
    }

    // MARK: Playing

    /// Puts a button over animations that pauses and resumes them.
    func addPlayButton(play: String, pause: String) {
        guard playButton == nil, let widget = gtk_button_new() else { return }
        let button = UnsafeMutableRawPointer(widget)
        playButton = widget
        gtk_widget_add_css_class(widget, "osd")
        gtk_widget_add_css_class(widget, "circular")
        gtk_widget_set_halign(widget, GTK_ALIGN_END)
        gtk_widget_set_valign(widget, GTK_ALIGN_END)
        gtk_widget_set_margin_end(widget, 6)
        gtk_widget_set_margin_bottom(widget, 6)
        gtk_overlay_add_overlay(OpaquePointer(overlay), widget)
        connect(button, "clicked") { [unowned self] in togglePlayback() }
        let animation = view.controller.content.animation
        // Weak, because the view may outlive this object.
        let update = { [weak self] (playback: Playback) -> Void in
            self?.showPlayback(playback, title: playback == .playing ? pause : play)
        }
        animation.onPlaybackChange = update
        update(animation.playback)
    }

    private func togglePlayback() {
        let animation = view.controller.content.animation
        if animation.isPlaying { animation.pause() } else { animation.start() }
    }

    private func showPlayback(_ playback: Playback, title: String) {
        guard let playButton else { return }
        gtk_widget_set_visible(playButton, playback == .none ? 0 : 1)
        let isPlaying = playback == .playing
        gtk_button_set_icon_name(
            UnsafeMutableRawPointer(playButton).assumingMemoryBound(to: GtkButton.self),
            isPlaying ? "media-playback-pause-symbolic" : "media-playback-start-symbolic"
        )
        gtk_widget_set_tooltip_text(playButton, title)
        kf_widget_set_label(playButton, title)
    }

    func addOverlay(_ widget: UnsafeMutablePointer<GtkWidget>, for phase: Phase) {
        overlays.append((GObjectReference(retaining: UnsafeMutableRawPointer(widget)), phase))
        gtk_overlay_add_overlay(OpaquePointer(overlay), widget)
        showOverlays()
    }

    private func removeOverlay(_ widget: UnsafeMutablePointer<GtkWidget>) {
        if UnsafeMutableRawPointer(gtk_widget_get_parent(widget)) == overlay {
            gtk_overlay_remove_overlay(OpaquePointer(overlay), widget)
        }
        overlays.removeAll { $0.widget.address == UnsafeMutableRawPointer(widget) }
    }

    /// Starts the load, unless the image is loaded or loading.
    func load() {
        guard !isLoaded, !isCleared, phase != .loading else { return }
        phase = .loading
        loadCount += 1
        let number = loadCount
        placeholderProgress?(0)
        loadState = .loading(progress: nil)
        // The caller's code may have started another load.
        guard number == loadCount else { return }
        view.controller.loader.load(
            source,
            placeholder: standIn,
            options: options,
            by: .shared,
            progress: progress,
            completion: { [weak self] result in self?.loadDidEnd(result, number) }
        )
    }

    private func settled(_ load: PendingLoad) {
        let loader = view.controller.loader
        // Reading an unknown size requests it.
        guard let onNaturalSize, let size = loader.naturalSize, loader.knowsNaturalSize(of: load)
        else { return }
        onNaturalSize(size)
    }

    private func cancelIfDisappearing() {
        guard cancelsOnDisappear, phase == .loading else { return }
        // Set now, because the widget may return before the completion handler is called.
        phase = nil
        view.kf.cancelDownloadTask()
        loadState = .idle
    }

    private var progress: DownloadProgressBlock? {
        let isObserved = onLoadStateChange != nil || placeholderProgress != nil
        guard showsProgress || onProgress.isSet || isObserved else { return nil }
        return { [weak self] received, total in
            MainActor.assumeIsolated {
                guard let self else { return }
                if total > 0 { self.showProgress(Double(received) / Double(total)) }
                self.onProgress.call((received, total))
            }
        }
    }

    private func showProgress(_ share: Double) {
        if let bar = progressBar { gtk_progress_bar_set_fraction(bar, share) }
        placeholderProgress?(share)
        if phase == .loading { loadState = .loading(progress: share) }
    }

    private func loadDidEnd(
        _ result: Result<RetrieveImageResult, KingfisherError>,
        _ number: Int
    ) {
        keeping(overlay) {
            // The caller's code may have started another load each time that it is asked.
            var isCurrent: Bool { number == loadCount }
            switch result {
            case .success(let value):
                isLoaded = isLoaded || isCurrent
                if isCurrent { phase = nil }
                if isCurrent { loadState = .loaded(value.image) }
                onSuccess.call(value)
            case .failure(let error):
                if isCurrent, !error.isCancellation { showFailure(error) }
                if isCurrent { phase = error.isCancellation ? nil : .failed }
                if isCurrent { loadState = error.isCancellation ? .idle : .failed(error) }
                onFailure.call(error)
            }
        }
    }

    private func showOverlays() {
        if retriesOnClick { kf_widget_set_focusable(overlay, phase == .failed) }
        for (widget, its) in overlays {
            gtk_widget_set_visible(widget.address.asWidget, its == phase ? 1 : 0)
        }
    }
}
#endif
