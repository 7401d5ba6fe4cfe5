import CGalleryGTK
import KingfisherGTK

/// Opens an image by the keyboard, and fails unless the window then behaves as a viewer of images.
struct WindowCheck {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let window: GalleryWindow

    func run() async throws {
        guard let grid = window.show(GridPage.name) else { return }
        try await wait("the grid shows its images") { grid.isReady }
        gtk_widget_child_focus(grid.widget, GTK_DIR_TAB_FORWARD)
        gallery_press(try focus(), guint(GDK_KEY_Return))
        try await wait("Return opens an image") { detail?.isReady == true }
        try require("the title is the name of the image", title == name)
        try await checkZoomKeys()
        try await checkControls()
        let fullScreen = try widget(titled: "Full screen")
        for isFull in [true, false] {
            gallery_press(fullScreen, guint(GDK_KEY_F11))
            try await wait("F11 makes the window \(isFull ? "fill the screen" : "small again")") {
                (gtk_window_is_fullscreen(window.window.cast()) != 0) == isFull
            }
        }
    }

    /// The keys go to the widget that has the focus since the image was opened.
    ///
    /// The first is repeated until the page has its size.
    private func checkZoomKeys() async throws {
        let focus = try focus()
        try await wait("1 shows the pixels of the image") {
            gallery_press(focus, guint(GDK_KEY_1))
            return detail?.zoomText == "100 %"
        }
        gallery_press(focus, guint(GDK_KEY_plus))
        try await wait("+ enlarges the image") { detail?.zoomText == "150 %" }
        gallery_press(focus, guint(GDK_KEY_0))
        try await wait("0 shows the whole image") { detail?.zoomText != "150 %" }
    }

    private func checkControls() async throws {
        let next = try widget(titled: "Next picture")
        try await wait("the controls fade out") { !isPainted(next) }
        gallery_move_pointer(detail?.widget, 20, 20)
        try await wait("the pointer brings the controls back") { isPainted(next) }
        let former = name
        gtk_widget_activate(next)
        try await wait("the title follows the image") { name != former && title == name }
    }

    private var detail: DetailPage? { window.page(DetailPage.name) as? DetailPage }

    private var name: String? { (detail?.number).map(Pictures.name) }

    private var title: String? {
        gtk_window_get_title(window.window.cast()).map { String(cString: $0) }
    }

    private func focus() throws -> Widget {
        guard let focus = gtk_root_get_focus(window.window.opaque) else {
            throw Failure(description: "no widget has the focus")
        }
        return focus
    }

    /// A transparent widget paints nothing.
    private func isPainted(_ widget: Widget) -> Bool {
        let paintable = gtk_widget_paintable_new(widget)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let snapshot = gtk_snapshot_new()
        gdk_paintable_snapshot(paintable, snapshot, 40, 40)
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return false }
        gsk_render_node_unref(node)
        return true
    }

    /// The first widget with a tooltip.
    private func widget(titled title: String) throws -> Widget {
        func search(_ widget: Widget) -> Widget? {
            if let text = gtk_widget_get_tooltip_text(widget), String(cString: text) == title {
                return widget
            }
            var child = gtk_widget_get_first_child(widget)
            while let current = child {
                if let found = search(current) { return found }
                child = gtk_widget_get_next_sibling(current)
            }
            return nil
        }
        guard let found = search(window.window) else {
            throw Failure(description: "the window has no button \(title)")
        }
        return found
    }

    private func require(_ statement: String, _ condition: Bool) throws {
        guard condition else { throw Failure(description: "not true: \(statement)") }
        print(statement)
    }

    private func wait(_ statement: String, until condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !condition(), .now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        try require(statement, condition())
    }
}
