#if GTK
public import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// A row of a list: any widget, with any number of images.
///
/// GTK creates some more rows than fit on screen, and shows one item after another in each of them.
public protocol ImageListRow: AnyObject {
    /// The row's widget, the same one for the row's whole life.
    var widget: UnsafeMutablePointer<GtkWidget> { get }

    /// Shows an item, in place of the previous one.
    func show(_ item: ImageListItem)

    /// Called when the row no longer shows its item; its images are already cleared.
    func clear()

    /// The row's name for assistive technology, read after ``show(_:)``; by default the texts of its
    /// labels and images.
    var accessibleLabel: String? { get }
}

extension ImageListRow {
    /// Does nothing.
    public func clear() {}

    /// The texts of the row's labels, and the alternative texts of its images.
    public var accessibleLabel: String? {
        let texts = Self.texts(in: widget)
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    private static func texts(in widget: UnsafeMutablePointer<GtkWidget>) -> [String] {
        let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
        let pointer = OpaquePointer(widget)
        if g_type_check_instance_is_a(instance, gtk_label_get_type()) != 0 {
            return gtk_label_get_text(pointer).map { [String(cString: $0)] } ?? []
        }
        if g_type_check_instance_is_a(instance, gtk_picture_get_type()) != 0 {
            let controller = PictureController.existing(of: UnsafeMutableRawPointer(widget))
            if let controller { return controller.status.name.map { [$0] } ?? [] }
            return gtk_picture_get_alternative_text(pointer).map { [String(cString: $0)] } ?? []
        }
        var found: [String] = []
        var child = gtk_widget_get_first_child(widget)
        while let next = child {
            found += texts(in: next)
            child = gtk_widget_get_next_sibling(next)
        }
        return found.filter { !$0.isEmpty }
    }
}

/// An item of a list's model.
public struct ImageListItem {
    /// The item's position in the model.
    public let position: Int

    /// The item, a GObject of the model that lives at least as long as it is shown; nil if the
    /// model has removed it.
    public let object: UnsafeMutableRawPointer?

    /// The text of an item of a GtkStringList; nil for items of other models.
    public var string: String? {
        guard let object,
            g_type_check_instance_is_a(
                object.assumingMemoryBound(to: GTypeInstance.self),
                gtk_string_object_get_type()
            ) != 0
        else { return nil }
        return gtk_string_object_get_string(OpaquePointer(object)).map { String(cString: $0) }
    }
}

/// Fills a GtkListView or GtkGridView with rows of any widgets, for example the posts of a feed.
///
/// The images of a row load when the row has stayed on screen for two frames, and at once from
/// memory. When the row leaves the screen their loads are cancelled, and they let go of their
/// images. This holds for every ``ImageView``, ``KFImage`` and GtkPicture with `.kf` in the row's widget,
/// also for those that `show(_:)` makes, unless their `kf.loadStart` is set.
///
/// ```swift
/// final class Post: ImageListRow {
///     let photo = ImageView()
///     let widget: UnsafeMutablePointer<GtkWidget>
///     init() { widget = … }
///     func show(_ item: ImageListItem) { photo.kf.setImage(with: item.string.flatMap(URL.init)) }
/// }
///
/// let list = gtk_list_view_new(selectionModel, ImageRowFactory { Post() }.makeFactory())
/// ```
///
/// For rows of a single image of one size see ``ImageListFactory``, which also loads ahead.
public final class ImageRowFactory {
    private let makeRow: () -> any ImageListRow
    private var rows: [OpaquePointer: any ImageListRow] = [:]

    /// Describes the rows of a list.
    ///
    /// - Parameter makeRow: Makes a row that shows no item yet.
    public init(makeRow: @escaping () -> any ImageListRow) {
        self.makeRow = makeRow
    }

    /// A GtkListItemFactory that makes the rows; it keeps this object.
    ///
    /// - Returns: A reference that the caller owns; the constructors of list views take it over.
    /// - Precondition: GTK is initialised.
    public func makeFactory() -> OpaquePointer {
        makeItemFactory()
    }
}

extension ImageRowFactory: ListItemHandler {
    func setUp(_ item: OpaquePointer) {
        let row = ListRows.fill(makeRow)
        rows[item] = row
        gtk_list_item_set_child(item, row.widget)
        ListRows.add(row.widget)
    }

    func bind(_ item: OpaquePointer) {
        let object = gtk_list_item_get_item(item)
        let position = Int(gtk_list_item_get_position(item))
        guard let row = rows[item] else { return }
        ListRows.fill { row.show(ImageListItem(position: position, object: object)) }
        kf_list_cell_set_label(row.widget, row.accessibleLabel)
    }

    func unbind(_ item: OpaquePointer) {
        guard let row = rows[item] else { return }
        RowImages.clear(in: row.widget)
        row.clear()
    }

    func tearDown(_ item: OpaquePointer) { rows[item] = nil }
}

/// The images among the descendants of a row's widget.
private enum RowImages {
    private enum Image {
        case picture(PictureController)
        case image(KFImageState)
    }

    static func clear(in row: UnsafeMutablePointer<GtkWidget>) {
        // Clearing may call the caller's code, which may destroy widgets; the references keep them.
        for (widget, image) in images(in: row) {
            withExtendedLifetime(widget) {
                switch image {
                case .picture(let controller): controller.loader.clear()
                case .image(let state): state.clear()
                }
            }
        }
    }

    /// The images with their widgets; GtkPictures without a load are skipped, such as icons.
    private static func images(
        in widget: UnsafeMutablePointer<GtkWidget>
    ) -> [(widget: GObjectReference, image: Image)] {
        let address = UnsafeMutableRawPointer(widget)
        if let state = KFImageState.data.value(of: address) {
            return [(GObjectReference(retaining: address), .image(state))]
        }
        if let controller = PictureController.existing(of: address) {
            return [(GObjectReference(retaining: address), .picture(controller))]
        }
        var found: [(GObjectReference, Image)] = []
        var child = gtk_widget_get_first_child(widget)
        while let next = child {
            found += images(in: next)
            child = gtk_widget_get_next_sibling(next)
        }
        return found
    }
}
#endif
