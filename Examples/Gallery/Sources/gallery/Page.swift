import CGalleryGTK

/// One page of the gallery.
protocol Page: AnyObject {
    var widget: Widget { get }

    /// Buttons in the bar of the window while the page is shown: one that leads back, then others.
    var barButtons: [Widget] { get }

    /// The title of the window while the page is shown; nil for that of its entry in the sidebar.
    var title: String? { get }

    /// Calls a closure when the title changes.
    func onTitleChange(_ body: @escaping () -> Void)

    /// Whether all its loads have finished.
    var isReady: Bool { get }
}

extension Page {
    var barButtons: [Widget] { [] }
    var title: String? { nil }
    func onTitleChange(_ body: @escaping () -> Void) {}
}
