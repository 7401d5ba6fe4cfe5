import CGalleryGTK
import Foundation

/// What of the process is in memory, in millions of bytes, as Linux counts it.
struct ResidentMemory: CustomStringConvertible {
    /// All of it; what files are mapped and only read, libraries above all, is shared with others.
    let total: Int
    /// What is this process's own: heaps, stacks, pixels.
    let anonymous: Int

    /// What is resident now.
    static var now: ResidentMemory {
        // Where there is no such file there is no figure: zeros.
        let text = (try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)) ?? ""
        var kibibytes: [Substring: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.count == 3 { kibibytes[words[0]] = Int(words[1]) }
        }
        return ResidentMemory(
            total: (kibibytes["Rss:"] ?? 0) * 1024 / 1_000_000,
            anonymous: (kibibytes["Anonymous:"] ?? 0) * 1024 / 1_000_000
        )
    }

    var description: String {
        "\(total) MB, of which \(anonymous) MB its own and \(total - anonymous) MB mapped files"
    }

    static func - (left: ResidentMemory, right: ResidentMemory) -> ResidentMemory {
        ResidentMemory(
            total: left.total - right.total,
            anonymous: left.anonymous - right.anonymous
        )
    }

    /// What a program has resident that shows an empty window of the gallery's size: GTK, its
    /// theme, its fonts, and the frame that it paints into.
    static func ofEmptyWindow() -> ResidentMemory {
        let window = made(gtk_window_new())
        gtk_window_set_default_size(window.cast(), 1040, 760)
        gtk_window_set_child(window.cast(), label("empty"))
        gtk_window_present(window.cast())
        while gtk_widget_get_mapped(window) == 0 { g_main_context_iteration(nil, 1) }
        // The frames of opening.
        let frames = gtk_widget_get_frame_clock(window)
        while gdk_frame_clock_get_frame_counter(frames) < 5 {
            gtk_widget_queue_draw(window)
            g_main_context_iteration(nil, 1)
        }
        defer { gtk_window_destroy(window.cast()) }
        return now
    }
}
