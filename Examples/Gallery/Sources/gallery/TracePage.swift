import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// The duration of each stage of a load, for the same image from different places.
final class TracePage: Page {
    let widget: Widget
    private(set) var isReady = false
    private let grid = made(gtk_grid_new())
    private let url: URL

    private static let width = 144
    private static let height = 108
    private static let stages: [(String, KeyPath<LoadTimings, Duration?>)] = [
        ("lookup", \.lookup), ("fetch", \.fetch), ("process", \.process), ("store", \.store),
        ("total", \.total),
    ]

    init(_ pictures: Pictures) {
        url = pictures.large(4_711)
        gtk_grid_set_column_spacing(grid.cast(), 18)
        gtk_grid_set_row_spacing(grid.cast(), 12)
        widget = made(gtk_scrolled_window_new()).expanding()
        let explanation = label(
            "The same file, 1600 × 1200 pixels, loaded five times for a picture of \(Self.width) × "
                + "\(Self.height): where it came from, and how long each stage of the load took.",
            wraps: true
        )
        let content = box(GTK_ORIENTATION_VERTICAL, spacing: 18, [explanation, grid])
        gtk_scrolled_window_set_child(widget.opaque, content.margin(24))
        gtk_grid_attach(grid.cast(), label("<b>came from</b>"), 1, 0, 1, 1)
        for (column, stage) in Self.stages.enumerated() {
            gtk_grid_attach(grid.cast(), number("<b>\(stage.0)</b>"), Int32(column + 2), 0, 1, 1)
        }
        Task { await run() }
    }

    private func run() async {
        let cache = KingfisherManager.shared.cache
        let small = DownsamplingImageProcessor(size: CGSize(width: Self.width, height: Self.height))
        let options: KingfisherOptionsInfo = [
            .processor(small), .cacheOriginalImage, .waitForCache,
        ]
        let blurred = options + [.processor(small |> BlurImageProcessor(blurRadius: 6))]
        await addRow("first time", options + [.forceRefresh])
        await addRow("again", options)
        cache.clearMemoryCache()
        await addRow("memory cleared", options)
        await addRow("blurred, from the original", blurred)
        await addRow("blurred, again", blurred)
        isReady = true
    }

    private func addRow(_ name: String, _ options: KingfisherOptionsInfo) async {
        rows += 1
        do {
            let result = try await KingfisherManager.shared.retrieveImage(
                with: url,
                options: options
            )
            let view = ImageView()
            view.setSizeRequest(width: Self.width, height: Self.height)
            // In the decoded size, whatever space is available.
            gtk_widget_set_halign(view.widget, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(view.widget, GTK_ALIGN_CENTER)
            view.image = result.image
            attach(view.widget, column: 0)
            let isFromOriginal = result.cacheType == .none && result.timings.fetch == nil
            let origin = isFromOriginal ? "the original on disk" : result.cacheType.words
            attach(label("\(name)\n<i>\(origin)</i>"), column: 1)
            for (column, stage) in Self.stages.enumerated() {
                let time = result.timings[keyPath: stage.1]
                attach(number(time.map(Self.text) ?? "–"), column: Int32(column + 2))
            }
        } catch {
            attach(label("\(name): \(escaped("\(error)"))", wraps: true), column: 1)
        }
    }

    private var rows: Int32 = 0

    private func attach(_ widget: Widget, column: Int32) {
        gtk_grid_attach(grid.cast(), widget, column, rows, 1, 1)
    }

    /// A label with digits of equal width, aligned with the row above.
    private func number(_ text: String) -> Widget {
        let label = label("<span font_features='tnum'>\(text)</span>")
        gtk_label_set_xalign(label.opaque, 1)
        gtk_widget_set_hexpand(label, 1)
        return label
    }

    private static func text(_ time: Duration) -> String {
        let milliseconds = time / .milliseconds(1)
        return String(format: milliseconds < 10 ? "%.2f ms" : "%.0f ms", milliseconds)
    }

    private func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
    }
}
