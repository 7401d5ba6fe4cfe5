import CGalleryGTK

/// One page of the gallery.
protocol Page: AnyObject {
    var widget: Widget { get }

    /// Whether everything that it loads is there.
    var isReady: Bool { get }
}
