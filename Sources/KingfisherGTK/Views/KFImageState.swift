#if GTK
import CGTK
import Foundation
import Kingfisher

/// What a ``KFImage`` is set to; hangs on its widget and goes with it.
final class KFImageState {
    /// When a widget over the picture is seen.
    enum Phase {
        case loading
        case failed
    }

    private static let data = ObjectData<KFImageState>(name: "kingfisher-kfimage")

    let view = ImageView()
    let source: Source?
    var options: KingfisherParsedOptionsInfo
    var placeholder: KFCrossPlatformImage?
    var cancelsOnDisappear = false
    let onFailure = Delegate<KingfisherError, Void>()
    let onSuccess = Delegate<RetrieveImageResult, Void>()
    let onProgress = Delegate<(Int64, Int64), Void>()

    /// The GtkOverlay; not retained, it owns this object.
    let overlay: UnsafeMutableRawPointer
    private var overlays: [(widget: UnsafeMutablePointer<GtkWidget>, phase: Phase)] = []
    private var progressBar: OpaquePointer?
    private var phase: Phase? {
        didSet { showOverlays() }
    }
    private var isLoaded = false
    /// Counts loads, so that the end of one that was given up is not taken for the next one's.
    private var loadCount = 0

    init(source: Source?) {
        precondition(gtk_is_initialized() != 0, "GTK is not initialised yet")
        guard let widget = gtk_overlay_new() else { preconditionFailure("GTK has no memory") }
        self.source = source
        overlay = UnsafeMutableRawPointer(widget)
        options = KingfisherParsedOptionsInfo(KingfisherManager.shared.defaultOptions)
        gtk_overlay_set_child(OpaquePointer(overlay), view.widget)
        Self.data.set(self, on: overlay)
        connect(overlay, "map") { [unowned self] in load() }
        connect(overlay, "unmap") { [unowned self] in
            cancelIfDisappearing()
        }
    }

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

    func addOverlay(_ widget: UnsafeMutablePointer<GtkWidget>, for phase: Phase) {
        overlays.append((widget, phase))
        gtk_overlay_add_overlay(OpaquePointer(overlay), widget)
        showOverlays()
    }

    /// Loads, unless the picture is there or on its way.
    func load() {
        guard !isLoaded, phase != .loading else { return }
        phase = .loading
        loadCount += 1
        let number = loadCount
        _ = view.controller.load(
            source,
            placeholder: placeholder,
            options: options,
            by: .shared,
            progress: progress,
            completion: { [weak self] result in self?.loadDidEnd(result, number) }
        )
    }

    private func cancelIfDisappearing() {
        guard cancelsOnDisappear, phase == .loading else { return }
        // At once, because the widget may come back before the completion has been called.
        phase = nil
        view.kf.cancelDownloadTask()
    }

    private var progress: DownloadProgressBlock? {
        guard showsProgress || onProgress.isSet else { return nil }
        return { [weak self] received, total in
            MainActor.assumeIsolated {
                guard let self else { return }
                if let bar = self.progressBar, total > 0 {
                    gtk_progress_bar_set_fraction(bar, Double(received) / Double(total))
                }
                self.onProgress.call((received, total))
            }
        }
    }

    private func loadDidEnd(
        _ result: Result<RetrieveImageResult, KingfisherError>,
        _ number: Int
    ) {
        let isCurrent = number == loadCount
        switch result {
        case .success(let value):
            isLoaded = isLoaded || isCurrent
            if isCurrent { phase = nil }
            onSuccess.call(value)
        case .failure(let error):
            if isCurrent { phase = error.isCancellation ? nil : .failed }
            onFailure.call(error)
        }
    }

    private func showOverlays() {
        for (widget, its) in overlays { gtk_widget_set_visible(widget, its == phase ? 1 : 0) }
    }
}
#endif
