import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// One image in the size of the window; its thumbnail is shown while it loads.
final class DetailPage: Page {
    static let name = "detail"
    let widget: Widget
    private let pictures: Pictures
    private let text = label("")
    private var image: KFImage?
    private var number = 0
    private(set) var isReady = false

    init(_ pictures: Pictures) {
        self.pictures = pictures
        widget = box(GTK_ORIENTATION_VERTICAL, [text]).margin(12)
        let buttons = box(GTK_ORIENTATION_HORIZONTAL, [])
        for (name, step) in [("Previous", -1), ("Next", 1)] {
            let button = made(gtk_button_new_with_label(name))
            connect(UnsafeMutableRawPointer(button), "clicked") { [unowned self] _ in
                show((number + step + Pictures.count) % Pictures.count)
            }
            gtk_box_append(buttons.cast(), button)
        }
        gtk_box_append(widget.cast(), buttons)
        show(17)
    }

    func show(_ number: Int) {
        self.number = number
        isReady = false
        if let image { gtk_box_remove(widget.cast(), image.widget) }
        let image = KFImage(pictures.large(number))
            .resizable()
            .fade(duration: 0.3)
            .loadingProgress()
            .alternativeText("Landscape number \(number)")
            .onSuccess { [weak self] in self?.describe($0) }
            .onFailure { [weak self] in self?.say("It could not be loaded: \($0)") }
        image.view.kf.indicator = .spinner
        self.image = image
        say("Loading …")
        gtk_box_insert_child_after(widget.cast(), image.widget.expanding(), text)
    }

    private func describe(_ result: RetrieveImageResult) {
        isReady = true
        let image = result.image
        say(
            "Number \(number): 1600 × 1200 pixels in the file, decoded to "
                + "\(image.pixelWidth) × \(image.pixelHeight) for this window, "
                + "from \(result.cacheType.words)"
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
