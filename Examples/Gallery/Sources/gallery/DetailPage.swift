import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// One image that can be zoomed, and one whose file does not exist.
final class DetailPage: Page {
    static let name = "detail"
    let widget: Widget
    private let pictures: Pictures
    private let text = label("")
    private let zoomText = label("")
    private let frame = made(gtk_scrolled_window_new()).expanding()
    private var image: KFImage?
    private let missing: KFImage
    private var number = 0
    private var zoom = 1.0
    private var hasFailed = false
    private var hasLoaded = false

    init(_ pictures: Pictures) {
        self.pictures = pictures
        missing = KFImage(pictures.missing).resizable()
        widget = box(GTK_ORIENTATION_VERTICAL, []).margin(12)
        gtk_box_append(widget.cast(), bar())
        gtk_box_append(
            widget.cast(),
            box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [frame, aside()])
        )
        gtk_box_append(widget.cast(), text)
        show(14)
    }

    var isReady: Bool { hasLoaded && hasFailed }

    func show(_ number: Int) {
        self.number = number
        hasLoaded = false
        let image = KFImage(pictures.large(number))
            .resizable()
            .thumbHash(pictures.thumbHash(number))
            .fade(duration: 0.3)
            .loadingProgress()
            .alternativeText("Photograph number \(number)")
            .onSuccess { [weak self] in self?.describe($0) }
            .onFailure { [weak self] in self?.say($0.failureReason ?? "") }
        image.view.kf.indicator = .spinner
        image.view.kf.contextMenu = PictureMenu { [weak self] in self?.say("\($0)") }
        image.view.kf.isDraggable = true
        self.image = image
        say("Loading …")
        setZoom(1)
        gtk_scrolled_window_set_child(frame.opaque, image.widget)
    }

    // MARK: Zoom

    /// Shows the image `factor` times as large as it fits into the frame.
    ///
    /// The view decodes the image again for its new size.
    private func setZoom(_ factor: Double) {
        zoom = min(8, max(1, factor))
        gtk_label_set_text(zoomText.opaque, "\(Int(zoom * 100)) %")
        guard let image else { return }
        let width = zoom > 1 ? Double(gtk_widget_get_width(frame)) * zoom : -1
        let height = zoom > 1 ? Double(gtk_widget_get_height(frame)) * zoom : -1
        image.view.setSizeRequest(width: Int(width), height: Int(height))
    }

    private func bar() -> Widget {
        let count = Pictures.count
        let actions: [(String, () -> Void)] = [
            ("Previous", { [unowned self] in show((number + count - 1) % count) }),
            ("Next", { [unowned self] in show((number + 1) % count) }),
            ("Zoom out", { [unowned self] in setZoom(zoom / 1.5) }),
            ("Zoom in", { [unowned self] in setZoom(zoom * 1.5) }),
        ]
        let bar = box(GTK_ORIENTATION_HORIZONTAL, [])
        for (title, action) in actions {
            let button = made(gtk_button_new_with_label(title))
            connect(UnsafeMutableRawPointer(button), "clicked") { _ in action() }
            gtk_box_append(bar.cast(), button)
        }
        gtk_box_append(bar.cast(), zoomText)
        return bar
    }

    // MARK: The missing file

    private func aside() -> Widget {
        let reason = label("", wraps: true)
        gtk_label_set_max_width_chars(reason.opaque, 26)
        let icon = made(gtk_image_new_from_icon_name("image-missing-symbolic"))
        gtk_image_set_pixel_size(icon.opaque, 48)
        let retry = made(gtk_button_new_with_label("Try again"))
        gtk_widget_set_halign(retry, GTK_ALIGN_CENTER)
        connect(UnsafeMutableRawPointer(retry), "clicked") { [unowned self] _ in missing.retry() }
        let failure = box(GTK_ORIENTATION_VERTICAL, spacing: 12, [icon, reason, retry])
        gtk_widget_set_valign(failure, GTK_ALIGN_CENTER)
        gtk_widget_set_halign(failure, GTK_ALIGN_CENTER)
        _ = missing.alternativeText("A file that does not exist")
            .onFailureView(failure)
            .onFailure { [weak self] error in
                self?.hasFailed = true
                gtk_label_set_text(reason.opaque, error.failureReason ?? "")
            }
        missing.view.setSizeRequest(width: 240, height: 260)
        missing.view.kf.indicator = .spinner
        let title = label("<b>A file that does not exist</b>")
        let aside = box(GTK_ORIENTATION_VERTICAL, spacing: 12, [title, missing.widget])
        gtk_widget_set_valign(aside, GTK_ALIGN_CENTER)
        return aside
    }

    // MARK: Words

    private func describe(_ result: RetrieveImageResult) {
        hasLoaded = true
        let image = result.image
        say(
            "Number \(number): 1600 × 1200 pixels in the file, decoded to "
                + "\(image.pixelWidth) × \(image.pixelHeight), from \(result.cacheType.words). "
                + "The secondary button copies and saves it."
        )
    }

    private func say(_ words: String) { gtk_label_set_text(text.opaque, words) }
}

extension CacheType {
    /// The origin of an image in words.
    var words: String {
        switch self {
        case .none: "the network"
        case .memory: "memory"
        case .disk: "the disk"
        }
    }
}
