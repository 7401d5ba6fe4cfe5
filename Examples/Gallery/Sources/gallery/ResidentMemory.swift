import CGalleryGTK
import Foundation

/// The resident memory of the process in millions of bytes, according to Linux.
struct ResidentMemory: CustomStringConvertible {
    /// All of it.
    ///
    /// Files that are mapped and only read, mostly libraries, are shared with other processes.
    let total: Int
    /// The process's own memory: heaps, stacks, pixels.
    let anonymous: Int

    /// The current resident memory.
    static var now: ResidentMemory {
        // Without this file all figures are 0.
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

    /// The largest resident memory so far, in millions of bytes.
    static var peak: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let words = line?.split(whereSeparator: \.isWhitespace) ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * 1024 / 1_000_000 : 0
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

    /// The resident memory of a program with an empty window of the gallery's size: GTK, its theme,
    /// its fonts and the frame buffer.
    static func ofEmptyWindow() -> ResidentMemory {
        let window = made(gtk_window_new())
        gtk_window_set_default_size(window.cast(), 1060, 760)
        gtk_window_set_child(window.cast(), label("empty"))
        gtk_window_present(window.cast())
        while gtk_widget_get_mapped(window) == 0 { g_main_context_iteration(nil, 1) }
        // The first frames after opening.
        let frames = gtk_widget_get_frame_clock(window)
        while gdk_frame_clock_get_frame_counter(frames) < 5 {
            gtk_widget_queue_draw(window)
            g_main_context_iteration(nil, 1)
        }
        defer { gtk_window_destroy(window.cast()) }
        return now
    }
}
