#if GTK
import Foundation

/// The memory and the threads of this process.
nonisolated enum ProcessCosts {
    /// The number of threads.
    static var threads: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
    }

    /// The resident memory in bytes.
    static var resident: Int { status("VmRSS:") }

    /// The largest resident memory since the last ``resetPeak()``, in bytes.
    static var peak: Int { status("VmHWM:") }

    static func resetPeak() throws {
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }

    private static func status(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let words = line?.split(whereSeparator: \.isWhitespace) ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * 1024 : 0
    }
}
#endif
