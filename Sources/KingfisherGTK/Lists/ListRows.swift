#if GTK
import CKFGTKHeaders

/// The rows of ``ImageRowFactory``, found from the views in them.
enum ListRows {
    private final class Mark {}

    private static let data = ObjectData<Mark>(name: "kingfisher-row")
    /// Whether a row is being filled; a view that it has just made may not be in it yet.
    private static var isFilling = false

    static func add(_ row: UnsafeMutablePointer<GtkWidget>) {
        data.set(Mark(), on: UnsafeMutableRawPointer(row))
    }

    /// Calls the code of a row, which makes and fills views.
    static func fill<Result>(_ body: () -> Result) -> Result {
        let wasFilling = isFilling
        isFilling = true
        defer { isFilling = wasFilling }
        return body()
    }

    /// Whether a view is in a row, or will be.
    static func contain(_ view: UnsafeMutablePointer<GtkWidget>) -> Bool {
        if isFilling, gtk_widget_get_root(view) == nil { return true }
        var widget: UnsafeMutablePointer<GtkWidget>? = view
        while let next = widget {
            if data.value(of: UnsafeMutableRawPointer(next)) != nil { return true }
            widget = gtk_widget_get_parent(next)
        }
        return false
    }
}
#endif
