import CGalleryGTK

/// One page of the gallery.
protocol Page: AnyObject {
    var widget: Widget { get }

    /// Buttons in the bar of the window while the page is shown: one that leads back, then others.
    var barButtons: [Widget] { get }

    /// Whether all its loads have finished.
    var isReady: Bool { get }
}

extension Page {
    var barButtons: [Widget] { [] }
}
