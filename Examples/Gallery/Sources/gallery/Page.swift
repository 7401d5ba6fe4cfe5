import CGalleryGTK

/// One page of the gallery.
protocol Page: AnyObject {
    /// Its name on the command line and of its screenshot.
    var name: String { get }
    /// What the switcher calls it.
    var title: String { get }
    var widget: Widget { get }
    /// Whether everything that the page shows at first is there.
    var isReady: Bool { get }
}
