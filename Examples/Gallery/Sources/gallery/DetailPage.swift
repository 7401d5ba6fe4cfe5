import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// One image from edge to edge that can be enlarged.
final class DetailPage: Page {
    static let name = "detail"
    let widget = made(gtk_overlay_new()).expanding()
    private let pictures: Pictures
    private let view = KFZoomView()
    private let zoomLabel = label("")
    private let info = label("", wraps: true)
    private let infoRevealer = made(gtk_revealer_new())
    private let spinner = made(gtk_spinner_new())
    private let reason = label("", wraps: true)
    private let failure = box(GTK_ORIENTATION_VERTICAL, spacing: 12, [])
    /// The number of the image.
    private(set) var number = 0
    /// What lies over the image and fades.
    private var controls: [Widget] = []
    private var fading: Task<Void, Never>?
    private var titleChanged: (() -> Void)?
    private(set) var barButtons: [Widget] = []
    private(set) var isReady = false

    /// Creates the page; `onBack` is called by the button that leads back.
    init(_ pictures: Pictures, onBack: @escaping () -> Void) {
        self.pictures = pictures
        gtk_widget_add_css_class(widget, "gallery-picture")
        gtk_overlay_set_child(widget.opaque, view.widget)
        view.onZoomChange = { [unowned self] _ in showZoom() }
        let infoButton = made(gtk_toggle_button_new())
        setIcon("help-about-symbolic", "Information", of: infoButton)
        GtkSignal.connect(infoButton, "toggled") { [unowned self] in
            let isActive = gtk_toggle_button_get_active(infoButton.cast())
            gtk_revealer_set_reveal_child(infoRevealer.opaque, isActive)
        }
        barButtons = [iconButton("go-previous-symbolic", "Back", onBack), infoButton]
        fillFailure()
        fillInfo()
        gtk_widget_set_halign(spinner, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(spinner, GTK_ALIGN_CENTER)
        gtk_widget_set_size_request(spinner, 48, 48)
        controls = [zoomBar()] + stepButtons()
        for overlay in [spinner, failure, infoRevealer] + controls {
            gtk_overlay_add_overlay(widget.opaque, overlay)
        }
        for control in controls { gtk_widget_add_css_class(control, "gallery-control") }
        let motion = gtk_event_controller_motion_new()
        GtkSignal.connect(motion, "motion") { [unowned self] in showControls() }
        gtk_widget_add_controller(widget, motion)
        let focus = gtk_event_controller_focus_new()
        GtkSignal.connect(focus, "notify::contains-focus") { [unowned self] in showControls() }
        gtk_widget_add_controller(widget, focus)
        show(14)
    }

    var title: String? { Pictures.name(of: number) }

    /// The zoom that the page shows, in percent.
    var zoomText: String { String(cString: gtk_label_get_text(zoomLabel.opaque)) }

    func onTitleChange(_ body: @escaping () -> Void) { titleChanged = body }

    /// Shows an image that was selected on another page; its keys work at once.
    func open(_ number: Int) {
        show(number)
        gtk_widget_grab_focus(view.widget)
    }

    private func show(_ number: Int) {
        self.number = number
        titleChanged?()
        isReady = false
        gtk_widget_set_visible(failure, 0)
        gtk_spinner_start(spinner.opaque)
        view.alternativeText = title
        view.setImage(with: pictures.large(number)) { [weak self] in self?.loadEnded($0) }
    }

    private func loadEnded(_ result: Result<CGSize, any Error>) {
        isReady = true
        showControls()
        gtk_spinner_stop(spinner.opaque)
        switch result {
        case .success(let size):
            let pixels = "\(Int(size.width)) × \(Int(size.height)) pixels"
            showZoom()
            gtk_label_set_text(info.opaque, "\(Pictures.name(of: number))\n\(pixels)")
        case .failure(let error):
            let words = (error as? KingfisherError)?.failureReason ?? error.localizedDescription
            gtk_label_set_text(reason.opaque, words)
            gtk_widget_set_visible(failure, 1)
        }
    }

    private func showZoom() {
        gtk_label_set_text(zoomLabel.opaque, "\(Int((view.zoom * 100).rounded())) %")
    }

    // MARK: Controls

    /// Fades the controls out once the pointer and the focus have rested.
    private func showControls() {
        for control in controls { gtk_widget_remove_css_class(control, "gallery-faded") }
        fading?.cancel()
        fading = Task { [weak self] in
            // Throws only if the task is cancelled.
            guard (try? await Task.sleep(for: .seconds(3))) != nil, let self else { return }
            for control in controls { gtk_widget_add_css_class(control, "gallery-faded") }
        }
    }

    private func toggleFullScreen() {
        guard let root = gtk_widget_get_root(widget) else { return }
        let window = Widget(root)
        let isFull = gtk_window_is_fullscreen(window.cast()) != 0
        if isFull {
            gtk_window_unfullscreen(window.cast())
        } else {
            gtk_window_fullscreen(window.cast())
        }
    }

    private func zoomBar() -> Widget {
        let buttons = [
            iconButton("zoom-out-symbolic", "Zoom out") { [unowned self] in view.zoom /= 1.5 },
            iconButton("zoom-in-symbolic", "Zoom in") { [unowned self] in view.zoom *= 1.5 },
            iconButton("zoom-fit-best-symbolic", "Whole picture") { [unowned self] in
                view.zoomToFit()
            },
            iconButton("view-fullscreen-symbolic", "Full screen") { [unowned self] in
                toggleFullScreen()
            },
        ]
        activate(buttons[3], by: "F11")
        for button in buttons {
            gtk_widget_add_css_class(button, "circular")
            gtk_widget_add_css_class(button, "flat")
        }
        gtk_label_set_width_chars(zoomLabel.opaque, 6)
        gtk_label_set_xalign(zoomLabel.opaque, 0.5)
        let bar = box(
            GTK_ORIENTATION_HORIZONTAL,
            spacing: 4,
            [buttons[0], zoomLabel] + buttons.dropFirst()
        )
        gtk_widget_add_css_class(bar, "osd")
        gtk_widget_add_css_class(bar, "gallery-osd")
        gtk_widget_set_halign(bar, GTK_ALIGN_END)
        gtk_widget_set_valign(bar, GTK_ALIGN_END)
        return bar.margin(12)
    }

    private func stepButtons() -> [Widget] {
        let count = Pictures.count
        let previous = iconButton("go-previous-symbolic", "Previous picture") { [unowned self] in
            show((number + count - 1) % count)
        }
        let next = iconButton("go-next-symbolic", "Next picture") { [unowned self] in
            show((number + 1) % count)
        }
        gtk_widget_set_halign(previous, GTK_ALIGN_START)
        gtk_widget_set_halign(next, GTK_ALIGN_END)
        for button in [previous, next] {
            gtk_widget_add_css_class(button, "circular")
            gtk_widget_add_css_class(button, "osd")
            gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
        }
        return [previous.margin(12), next.margin(12)]
    }

    private func fillFailure() {
        let icon = made(gtk_image_new_from_icon_name("image-missing-symbolic"))
        gtk_image_set_pixel_size(icon.opaque, 64)
        let retry = made(gtk_button_new_with_label("Try Again"))
        gtk_widget_set_halign(retry, GTK_ALIGN_CENTER)
        GtkSignal.connect(retry, "clicked") { [unowned self] in show(number) }
        for child in [icon, reason, retry] { gtk_box_append(failure.cast(), child) }
        gtk_widget_add_css_class(failure, "osd")
        gtk_widget_add_css_class(failure, "gallery-osd")
        gtk_widget_set_halign(failure, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(failure, GTK_ALIGN_CENTER)
    }

    private func fillInfo() {
        gtk_widget_add_css_class(info, "osd")
        gtk_widget_add_css_class(info, "gallery-osd")
        gtk_revealer_set_child(infoRevealer.opaque, info.margin(12))
        gtk_widget_set_halign(infoRevealer, GTK_ALIGN_END)
        gtk_widget_set_valign(infoRevealer, GTK_ALIGN_START)
    }
}

extension CacheType {
    /// Where the image came from, for readers.
    var words: String {
        switch self {
        case .none: "the network"
        case .memory: "memory"
        case .disk: "the disk"
        }
    }
}
