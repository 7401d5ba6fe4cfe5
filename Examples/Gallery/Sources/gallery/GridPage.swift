import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// Ten thousand images, of which only those on screen are loaded.
final class GridPage: Page {
    static let name = "grid"
    let widget: Widget
    private let cells: ImageListFactory
    private var views: [OpaquePointer: Int] = [:]
    /// Called with the number and the view of an image that is bound.
    var onBind: ((Int, ImageView) -> Void)?

    /// Creates the page.
    ///
    /// - Parameters:
    ///   - columns: The largest number of columns; nil for as many as fill the window.
    ///   - isRounded: Whether the images have round corners.
    ///   - options: The options of the loads.
    ///   - source: Returns the image of a number.
    ///   - onOpen: Called with the number of a selected image.
    init(
        columns: UInt32? = nil,
        isRounded: Bool = false,
        options: KingfisherOptionsInfo = [],
        _ source: @escaping (Int) -> Source?,
        onOpen: @escaping (Int) -> Void
    ) {
        cells = ImageListFactory(
            cellSize: CGSize(width: 160, height: 120),
            itemCount: Pictures.count,
            source: source
        )
        cells.options = options
        cells.indicator = .spinner
        cells.failureImage = Self.failure
        let numbers = gtk_string_list_new(nil)
        for number in 0..<Pictures.count { gtk_string_list_append(numbers, "\(number)") }
        let grid = made(gtk_grid_view_new(gtk_no_selection_new(numbers), cells.makeFactory()))
        gtk_widget_add_css_class(grid, "gallery-grid")
        if isRounded { gtk_widget_add_css_class(grid, "gallery-rounded") }
        gtk_grid_view_set_min_columns(grid.opaque, 2)
        gtk_grid_view_set_max_columns(grid.opaque, columns ?? 24)
        // With few columns the gaps between them would be larger than those between the rows.
        if columns != nil { gtk_widget_set_halign(grid, GTK_ALIGN_CENTER) }
        gtk_grid_view_set_single_click_activate(grid.opaque, 1)
        widget = made(gtk_scrolled_window_new()).expanding()
        gtk_scrolled_window_set_child(widget.opaque, grid)
        GtkSignal.connect(grid, "activate") { onOpen(Int($0 & 0xFFFF_FFFF)) }
        cells.onBind = { [weak self] position, view in
            self?.views[view.gtkPicture] = position
            self?.onBind?(position, view)
            view.alternativeText = Pictures.name(of: position)
            // Clips the image to the rounded corners of its style.
            if isRounded { gtk_widget_set_overflow(view.widget, GTK_OVERFLOW_HIDDEN) }
        }
    }

    /// Whether loads follow the speed of scrolling.
    var followsScrolling: Bool {
        get { cells.followsScrolling }
        set { cells.followsScrolling = newValue }
    }

    var isReady: Bool {
        let visible = views.keys.filter { gtk_widget_get_mapped(Widget($0)) != 0 }
        return visible.count > 4
            && visible.allSatisfy { kf($0).image != nil || kf($0).failure != nil }
    }

    /// The scroll position in logical pixels.
    var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
        gtk_scrolled_window_get_vadjustment(widget.opaque)
    }

    /// A grey cross, which says that a load has failed; it is repeated when the cell is seen again.
    private static var failure: KFCrossPlatformImage? {
        let side = 48
        var pixels = Data(capacity: side * side * 4)
        for y in 0..<side {
            for x in 0..<side {
                let isInside = (8..<side - 8).contains(x) && (8..<side - 8).contains(y)
                let isLine = abs(x - y) < 4 || abs(x + y - side + 1) < 4
                pixels.append(
                    contentsOf: [UInt8](repeating: isInside && isLine ? 128 : 0, count: 4)
                )
            }
        }
        return KFCrossPlatformImage(premultipliedRGBA: pixels, width: side, height: side)
    }
}
