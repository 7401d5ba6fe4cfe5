import CGalleryGTK
import Foundation
import Kingfisher
import KingfisherGTK

/// The duration of each stage of a load, for the same image from different places.
final class TracePage: Page {
    let widget: Widget
    private(set) var isReady = false
    private let rows = box(GTK_ORIENTATION_VERTICAL, spacing: 12, [])
    private let url: URL

    private static let width = 144
    private static let height = 108
    private static let stages: [(String, KeyPath<LoadTimings, Duration?>)] = [
        ("lookup", \.lookup), ("fetch", \.fetch), ("process", \.process), ("store", \.store),
        ("total", \.total),
    ]

    init(_ pictures: Pictures) {
        url = pictures.large(4_711)
        widget = made(gtk_scrolled_window_new()).expanding()
        let explanation = label(
            "The same file, 1600 × 1200 pixels, loaded five times for a picture of \(Self.width) × "
                + "\(Self.height): where it came from, and how long each stage of the load took.",
            wraps: true
        )
        let content = box(GTK_ORIENTATION_VERTICAL, spacing: 18, [explanation, rows])
        gtk_scrolled_window_set_child(widget.opaque, content.margin(24))
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
        do {
            let result = try await KingfisherManager.shared.retrieveImage(
                with: url,
                options: options
            )
            let view = ImageView()
            view.setSizeRequest(width: Self.width, height: Self.height)
            // In the decoded size, whatever space is available.
            gtk_widget_set_valign(view.widget, GTK_ALIGN_CENTER)
            view.image = result.image
            view.alternativeText = name
            let isFromOriginal = result.cacheType == .none && result.timings.fetch == nil
            let origin = isFromOriginal ? "the original on disk" : result.cacheType.words
            let stages = Self.stages.compactMap { name, time in
                result.timings[keyPath: time].map { "\(name)\u{a0}\(Self.text($0))" }
            }
            let words = "<b>\(name)</b>\n<i>from \(origin)</i>\n" + stages.joined(separator: ", ")
            let text = label("<span font_features='tnum'>\(words)</span>", wraps: true)
            gtk_widget_set_hexpand(text, 1)
            gtk_box_append(
                rows.cast(),
                box(GTK_ORIENTATION_HORIZONTAL, spacing: 18, [view.widget, text])
            )
        } catch {
            gtk_box_append(rows.cast(), label("\(name): \(escaped("\(error)"))", wraps: true))
        }
    }

    private static func text(_ time: Duration) -> String {
        let milliseconds = time / .milliseconds(1)
        return String(format: milliseconds < 10 ? "%.2f\u{a0}ms" : "%.0f\u{a0}ms", milliseconds)
    }

    private func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
    }
}
