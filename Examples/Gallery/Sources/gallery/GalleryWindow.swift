import CGalleryGTK

/// The window with all pages.
///
/// Each page is created when it is first shown.
final class GalleryWindow {
    let window: Widget
    private let stack: Widget
    private let entries: [Entry]
    private var pages: [String: any Page] = [:]

    /// The slot of a page.
    private struct Entry {
        let name: String
        let title: String
        let slot = box(GTK_ORIENTATION_VERTICAL, [])
        let make: (GalleryWindow) -> any Page
    }

    init(_ pictures: Pictures) {
        window = made(gtk_window_new())
        stack = made(gtk_stack_new())
        entries = [
            Entry(name: GridPage.name, title: "Pictures") { window in
                GridPage(pictures) { [unowned window] in window.showDetail(of: $0) }
            },
            Entry(name: DetailPage.name, title: "One picture") { _ in DetailPage(pictures) },
            Entry(name: "feed", title: "Feed") { _ in FeedPage(pictures) },
            Entry(name: "animated", title: "Animations") { _ in AnimatedPage(pictures) },
            Entry(name: "processors", title: "Processors") { _ in ProcessorsPage(pictures) },
            Entry(name: "trace", title: "Traces") { _ in TracePage(pictures) },
        ]
        for entry in entries {
            gtk_stack_add_titled(stack.opaque, entry.slot, entry.name, entry.title)
        }
        let switcher = made(gtk_stack_switcher_new())
        gtk_stack_switcher_set_stack(switcher.opaque, stack.opaque)
        let bar = made(gtk_header_bar_new())
        gtk_header_bar_set_title_widget(bar.opaque, switcher)
        gtk_window_set_titlebar(window.cast(), bar)
        gtk_window_set_title(window.cast(), "Kingfisher Gallery")
        gtk_window_set_default_size(window.cast(), 1060, 760)
        gtk_window_set_child(window.cast(), stack)
        connect(UnsafeMutableRawPointer(stack), "notify::visible-child-name") { [unowned self] _ in
            openVisible()
        }
    }

    var pageNames: [String] { entries.map(\.name) }

    /// Shows a page, or keeps the current one if there is none of that name.
    @discardableResult
    func show(_ name: String) -> (any Page)? {
        gtk_stack_set_visible_child_name(stack.opaque, name)
        return openVisible()
    }

    /// Shows and returns the page with the images.
    func showGrid() -> GridPage? { show(GridPage.name) as? GridPage }

    private func showDetail(of number: Int) {
        (show(DetailPage.name) as? DetailPage)?.show(number)
    }

    @discardableResult
    private func openVisible() -> (any Page)? {
        guard
            let name = gtk_stack_get_visible_child_name(stack.opaque).map({ String(cString: $0) }),
            let entry = entries.first(where: { $0.name == name })
        else { return nil }
        if let page = pages[name] { return page }
        let page = entry.make(self)
        pages[name] = page
        gtk_box_append(entry.slot.cast(), page.widget)
        return page
    }
}
