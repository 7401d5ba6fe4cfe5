import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// A feed: a list of posts with an avatar and several photographs each.
final class FeedPage: Page {
    let widget: Widget
    private var posts: [WeakPost] = []
    private let loading: LoadingStages

    private struct WeakPost {
        weak var post: Post?
    }

    init(_ pictures: Pictures) {
        loading = LoadingStages(pictures)
        let numbers = gtk_string_list_new(nil)
        for number in 0..<1_000 { gtk_string_list_append(numbers, "\(number)") }
        widget = box(GTK_ORIENTATION_VERTICAL, spacing: 0, [])
        let rows = ImageRowFactory { [weak self] in
            let post = Post(pictures)
            self?.posts.append(WeakPost(post: post))
            return post
        }
        let list = made(gtk_list_view_new(gtk_no_selection_new(numbers), rows.makeFactory()))
        gtk_widget_add_css_class(list, "gallery-feed")
        let scrolled = made(gtk_scrolled_window_new()).expanding()
        gtk_scrolled_window_set_child(scrolled.opaque, list)
        gtk_box_append(widget.cast(), loading.widget)
        gtk_box_append(widget.cast(), made(gtk_separator_new(GTK_ORIENTATION_HORIZONTAL)))
        gtk_box_append(widget.cast(), scrolled)
    }

    var isReady: Bool {
        let visible = posts.compactMap(\.post).filter(\.isVisible)
        return loading.isReady && !visible.isEmpty && visible.allSatisfy(\.isComplete)
    }
}

/// A post of the feed.
private final class Post: ImageListRow {
    let widget: Widget
    private let pictures: Pictures
    private let avatar = ImageView()
    private let name = label("")
    private let text = label("", wraps: true)
    private let photographs: [KFImage]

    private static let authors = ["Ada", "Grace", "Katherine", "Margaret", "Radia", "Barbara"]

    init(_ pictures: Pictures) {
        self.pictures = pictures
        avatar.setSizeRequest(width: 44, height: 44)
        gtk_widget_set_valign(avatar.widget, GTK_ALIGN_CENTER)
        photographs = (0..<3).map { _ in
            let image = KFImage(nil as URL?)
                .resizable(.cover)
                .fade(duration: 0.3)
                .onFailureView(failureView)
                .retryOnClick()
            image.view.setSizeRequest(width: 112, height: 112)
            return image
        }
        let words = box(GTK_ORIENTATION_VERTICAL, spacing: 2, [name, text])
        let head = box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [avatar.widget, words])
        let line = box(GTK_ORIENTATION_HORIZONTAL, photographs.map(\.widget))
        widget = box(GTK_ORIENTATION_VERTICAL, spacing: 12, [head, line]).margin(12)
        gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
    }

    func show(_ item: ImageListItem) {
        let number = item.string.flatMap { Int($0) } ?? 0
        let author = Self.authors[number % Self.authors.count]
        gtk_label_set_markup(name.opaque, "<b>\(author)</b>")
        gtk_label_set_text(text.opaque, "Three photographs from day \(number + 1) of the journey")
        let size = CGSize(width: 88, height: 88)
        avatar.alternativeText = author
        avatar.kf.setImage(
            with: pictures.small(7_000 + number % Self.authors.count),
            options: [
                .processor(
                    ResizingImageProcessor(referenceSize: size, mode: .aspectFill)
                        |> CroppingImageProcessor(size: size)
                        |> RoundCornerImageProcessor(radius: .heightFraction(0.5))
                ),
                .cacheOriginalImage,
            ]
        )
        for (index, image) in photographs.enumerated() {
            let photograph = number * 3 + index
            _ = image.thumbHash(pictures.thumbHash(photograph))
                .alternativeText("Photograph \(index + 1) of \(author)")
            image.bind(to: pictures.small(photograph))
        }
    }

    var isVisible: Bool { gtk_widget_get_mapped(widget) != 0 && avatar.image != nil }

    var isComplete: Bool {
        photographs.allSatisfy { $0.view.image != nil || $0.view.kf.failure != nil }
    }
}

/// The states of a view: a preview, the image, and a failure, which a click repeats.
private final class LoadingStages {
    let widget: Widget
    private let photograph: KFImage
    private let missing: KFImage

    init(_ pictures: Pictures) {
        let number = 4
        let preview = ImageView()
        preview.image = KFCrossPlatformImage(thumbHash: pictures.thumbHash(number))
        preview.hasNaturalSize = false
        preview.fit = .cover
        photograph = KFImage(pictures.small(number)).resizable(.cover)
        missing = KFImage(pictures.missing).resizable(.cover)
            .onFailureView(failureView)
            .retryOnClick()
        let stages = [
            (preview, preview.widget, "preview of 25 bytes"),
            (photograph.view, photograph.widget, "photograph"),
            (missing.view, missing.widget, "a file that does not exist"),
        ]
        let columns = stages.map { (view, widget, title) in
            view.alternativeText = title
            view.setSizeRequest(width: 112, height: 100)
            // The caption may be wider.
            gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
            let caption = label(title, wraps: true)
            gtk_label_set_max_width_chars(caption.opaque, 14)
            gtk_label_set_justify(caption.opaque, GTK_JUSTIFY_CENTER)
            gtk_label_set_xalign(caption.opaque, 0.5)
            return box(GTK_ORIENTATION_VERTICAL, spacing: 4, [widget, caption])
        }
        widget = box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, columns).margin(12)
        gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
    }

    var isReady: Bool { photograph.view.image != nil && missing.view.kf.failure != nil }
}
