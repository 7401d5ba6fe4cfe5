import CGalleryGTK

/// The window with all pages.
final class GalleryWindow {
    let window: Widget
    let pages: [any Page]
    let grid: GridPage
    private let stack: Widget

    init(_ pictures: Pictures) {
        window = made(gtk_window_new())
        stack = made(gtk_stack_new())
        let detail = DetailPage(pictures)
        let stack = stack
        grid = GridPage(pictures) { number in
            detail.show(number)
            gtk_stack_set_visible_child_name(stack.opaque, detail.name)
        }
        pages = [
            grid, detail, AnimatedPage(pictures), ProcessorsPage(pictures), TracePage(pictures),
        ]
        for page in pages { gtk_stack_add_titled(stack.opaque, page.widget, page.name, page.title) }
        let switcher = made(gtk_stack_switcher_new())
        gtk_stack_switcher_set_stack(switcher.opaque, stack.opaque)
        let bar = made(gtk_header_bar_new())
        gtk_header_bar_set_title_widget(bar.opaque, switcher)
        gtk_window_set_titlebar(window.cast(), bar)
        gtk_window_set_title(window.cast(), "Kingfisher Gallery")
        gtk_window_set_default_size(window.cast(), 1040, 760)
        gtk_window_set_child(window.cast(), stack)
    }

    func show(_ page: String) {
        gtk_stack_set_visible_child_name(stack.opaque, page)
    }
}
