#if GTK
import CKFGTKHeaders

/// A cell that shows an item; a class, because a copy of a weak reference takes a lock.
final class ListCell {
    weak var controller: PictureController?
    /// The GtkListItem, whose position changes with the model.
    let item: OpaquePointer

    init(_ controller: PictureController, _ item: OpaquePointer) {
        self.controller = controller
        self.item = item
    }

    var position: Int { Int(gtk_list_item_get_position(item)) }
}
#endif
