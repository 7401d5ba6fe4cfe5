import CGalleryGTK
import KingfisherGTK

/// The window with all pages: a sidebar, the page that is selected in it, and one for a single image.
///
/// In a narrow window the sidebar lies over the page.
///
/// Each page is created when it is first shown.
final class GalleryWindow {
    let window: Widget
    private let content = made(gtk_overlay_new())
    private let stack = made(gtk_stack_new()).expanding()
    private let sidebar = made(gtk_list_box_new())
    private let sidebarRevealer = made(gtk_revealer_new())
    private let sidebarButton = made(gtk_toggle_button_new())
    private let bar = made(gtk_header_bar_new())
    private let entries: [Entry]
    private var pages: [String: any Page] = [:]
    /// The current entry.
    private var shown: Entry?
    /// Whether the window has no room for the sidebar beside a page.
    private var isNarrow = false {
        didSet {
            guard isNarrow != oldValue else { return }
            gtk_toggle_button_set_active(sidebarButton.cast(), isNarrow ? 0 : 1)
            arrangeSidebar()
        }
    }
    private static let sidebarWidth: Int32 = 181

    /// The slot of a page.
    private struct Entry {
        let name: String
        let title: String
        let icon: String
        let slot = box(GTK_ORIENTATION_VERTICAL, [])
        let make: (GalleryWindow) -> any Page

        init(
            _ name: String,
            _ title: String,
            icon: String,
            _ make: @escaping (GalleryWindow) -> any Page
        ) {
            self.name = name
            self.title = title
            self.icon = icon
            self.make = make
        }

        /// The page of a single image, which is opened by selecting the image.
        var isDetail: Bool { name == DetailPage.name }
    }

    init(_ pictures: Pictures) {
        window = made(gtk_window_new())
        entries = [
            Entry(GridPage.name, "Pictures", icon: "view-grid-symbolic") { window in
                GridPage(isRounded: true) {
                    .network(pictures.small($0))
                } onOpen: { [unowned window] in
                    window.showDetail(of: $0)
                }
            },
            Entry("feed", "Feed", icon: "view-list-symbolic") { _ in FeedPage(pictures) },
            Entry("animated", "Animations", icon: "media-playback-start-symbolic") { _ in
                AnimatedPage(pictures)
            },
            Entry("processors", "Processors", icon: "applications-graphics-symbolic") { _ in
                ProcessorsPage(pictures)
            },
            Entry("trace", "Traces", icon: "preferences-system-time-symbolic") { _ in
                TracePage(pictures)
            },
            Entry(DetailPage.name, "Picture", icon: "image-x-generic-symbolic") { window in
                DetailPage(pictures) { [unowned window] in window.show(GridPage.name) }
            },
        ]
        for entry in entries { gtk_stack_add_named(stack.opaque, entry.slot, entry.name) }
        gtk_stack_set_transition_type(stack.opaque, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
        fillSidebar()
        fillBar()
        gtk_window_set_default_size(window.cast(), 1060, 760)
        gtk_overlay_set_child(content.opaque, stack)
        gtk_overlay_add_overlay(content.opaque, sidebarRevealer)
        gtk_window_set_child(window.cast(), content)
        GtkSignal.connect(window, "realize", after: true) { [unowned self] in followSize() }
        GtkSignal.connect(stack, "notify::visible-child-name") { [unowned self] in
            openVisible()
        }
    }

    /// The layout of the window's surface changes with each size.
    private func followSize() {
        guard let surface = gtk_native_get_surface(window.opaque) else { return }
        GtkSignal.connect(surface, "layout", after: true) { [unowned self] in
            isNarrow = gtk_widget_get_width(content) < 600
        }
    }

    /// The sidebar is beside the page if there is room, and of a single image there is none.
    private func arrangeSidebar() {
        let isRevealed = gtk_toggle_button_get_active(sidebarButton.cast()) != 0
        gtk_revealer_set_reveal_child(sidebarRevealer.opaque, isRevealed ? 1 : 0)
        let isBeside = isRevealed && !isNarrow && shown?.isDetail != true
        gtk_widget_set_margin_start(stack, isBeside ? Self.sidebarWidth : 0)
    }

    private func fillSidebar() {
        gtk_widget_add_css_class(sidebar, "navigation-sidebar")
        gtk_widget_set_size_request(sidebar, Self.sidebarWidth - 1, -1)
        for entry in entries where !entry.isDetail {
            let icon = made(gtk_image_new_from_icon_name(entry.icon))
            let row = box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, [icon, label(entry.title)])
            gtk_list_box_append(sidebar.opaque, row.margin(6))
        }
        GtkSignal.connect(sidebar, "row-activated") { [unowned self] (row: UInt) in
            guard let row = UnsafeMutablePointer<GtkListBoxRow>(bitPattern: row) else { return }
            show(entries[Int(gtk_list_box_row_get_index(row))].name)
            if isNarrow { gtk_toggle_button_set_active(sidebarButton.cast(), 0) }
        }
        let line = made(gtk_separator_new(GTK_ORIENTATION_VERTICAL))
        let both = box(GTK_ORIENTATION_HORIZONTAL, spacing: 0, [sidebar, line])
        gtk_revealer_set_transition_type(
            sidebarRevealer.opaque,
            GTK_REVEALER_TRANSITION_TYPE_SLIDE_RIGHT
        )
        gtk_widget_add_css_class(both, "background")
        gtk_widget_set_halign(sidebarRevealer, GTK_ALIGN_START)
        gtk_revealer_set_child(sidebarRevealer.opaque, both)
    }

    private func fillBar() {
        setIcon("sidebar-show-symbolic", "Sidebar", of: sidebarButton)
        gtk_toggle_button_set_active(sidebarButton.cast(), 1)
        GtkSignal.connect(sidebarButton, "toggled") { [unowned self] in
            arrangeSidebar()
        }
        gtk_header_bar_pack_start(bar.opaque, sidebarButton)
        gtk_window_set_titlebar(window.cast(), bar)
    }

    var pageNames: [String] { entries.map(\.name) }

    /// The page of a name, if it has been shown.
    func page(_ name: String) -> (any Page)? { pages[name] }

    /// Shows a page, or keeps the current one if there is none of that name.
    @discardableResult
    func show(_ name: String) -> (any Page)? {
        gtk_stack_set_visible_child_name(stack.opaque, name)
        return openVisible()
    }

    private func showDetail(of number: Int) {
        (show(DetailPage.name) as? DetailPage)?.open(number)
    }

    @discardableResult
    private func openVisible() -> (any Page)? {
        guard
            let name = gtk_stack_get_visible_child_name(stack.opaque).map({ String(cString: $0) }),
            let index = entries.firstIndex(where: { $0.name == name })
        else { return nil }
        let entry = entries[index]
        let page = pages[name] ?? open(entry)
        shown = entry
        gtk_window_set_title(window.cast(), page.title ?? "\(entry.title) – Kingfisher")
        // A single image has the whole window, and its own buttons in the bar.
        gtk_widget_set_visible(sidebarRevealer, entry.isDetail ? 0 : 1)
        gtk_widget_set_visible(sidebarButton, entry.isDetail ? 0 : 1)
        arrangeSidebar()
        for (other, page) in pages {
            for button in page.barButtons { gtk_widget_set_visible(button, other == name ? 1 : 0) }
        }
        let row = entry.isDetail ? nil : gtk_list_box_get_row_at_index(sidebar.opaque, Int32(index))
        gtk_list_box_select_row(sidebar.opaque, row)
        return page
    }

    private func open(_ entry: Entry) -> any Page {
        let page = entry.make(self)
        pages[entry.name] = page
        page.onTitleChange { [unowned self, unowned page] in
            if shown?.name == entry.name { gtk_window_set_title(window.cast(), page.title) }
        }
        gtk_box_append(entry.slot.cast(), page.widget)
        for (position, button) in page.barButtons.enumerated() {
            // The first one leads back.
            if position == 0 {
                gtk_header_bar_pack_start(bar.opaque, button)
            } else {
                gtk_header_bar_pack_end(bar.opaque, button)
            }
        }
        return page
    }
}
