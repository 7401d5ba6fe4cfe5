import CGalleryGTK
import Foundation
import KingfisherGTK

/// Ten thousand images, of which only those on screen are loaded.
final class GridPage: Page {
    static let name = "grid"
    let widget: Widget
    let hooks = Hooks()
    private var views: [OpaquePointer: Int] = [:]

    /// Hooks for measuring the duration of binds.
    final class Hooks {
        var bindBegins: (() -> Void)?
        var bindEnded: (() -> Void)?
    }

    /// Creates the page; `onOpen` is called with the number of a selected image.
    init(_ pictures: Pictures, onOpen: @escaping (Int) -> Void) {
        let cells = ImageListFactory(
            cellSize: CGSize(width: 160, height: 120),
            itemCount: Pictures.count
        ) { [hooks] number in
            hooks.bindBegins?()
            return .network(pictures.small(number))
        }
        cells.indicator = .spinner
        let numbers = gtk_string_list_new(nil)
        for number in 0..<Pictures.count { gtk_string_list_append(numbers, "\(number)") }
        let grid = made(gtk_grid_view_new(gtk_no_selection_new(numbers), cells.makeFactory()))
        // As many columns as fit, so that the gaps between them are like those between the rows.
        gtk_widget_add_css_class(grid, "gallery-grid")
        gtk_widget_set_halign(grid, GTK_ALIGN_CENTER)
        gtk_grid_view_set_max_columns(grid.opaque, 6)
        gtk_grid_view_set_min_columns(grid.opaque, 2)
        gtk_grid_view_set_single_click_activate(grid.opaque, 1)
        widget = made(gtk_scrolled_window_new()).expanding()
        gtk_scrolled_window_set_child(widget.opaque, grid)
        connect(UnsafeMutableRawPointer(grid), "activate") { onOpen(Int($0 & 0xFFFF_FFFF)) }
        cells.onBind = { [weak self, hooks] position, view in
            hooks.bindEnded?()
            self?.views[view.gtkPicture] = position
            view.alternativeText = "Landscape number \(position)"
        }
    }

    var isReady: Bool {
        let visible = views.keys.filter { gtk_widget_get_mapped(Widget($0)) != 0 }
        return visible.count > 4 && visible.allSatisfy { kf($0).image != nil }
    }

    /// The scroll position in logical pixels.
    var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
        gtk_scrolled_window_get_vadjustment(widget.opaque)
    }
}
