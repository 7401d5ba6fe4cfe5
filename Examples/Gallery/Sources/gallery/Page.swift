import CGalleryGTK

/// One page of the gallery.
protocol Page: AnyObject {
    var widget: Widget { get }

    /// Whether all its loads have finished.
    var isReady: Bool { get }
}
