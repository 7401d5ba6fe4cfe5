import Foundation

/// A progress bar on the terminal for received bytes.
final class ProgressBar: Sendable {
    /// Draws the bytes received; `total` is 0 or less if it is unknown.
    func update(received: Int64, total: Int64) {
        let size = Readable.bytes(Int(received))
        guard total > 0 else { return Terminal.showStatus("  \(size)") }
        Terminal.showStatus("  " + Self.bar(Double(received) / Double(total)) + "  \(size)")
    }

    /// Erases the bar.
    func clear() { Terminal.showStatus("") }

    /// A bar such as `█████░░░░░ 50 %` for a share of 0…1.
    static func bar(_ share: Double, width: Int = 30) -> String {
        let share = min(1, max(0, share))
        let full = Int(share * Double(width))
        return String(repeating: "█", count: full)
            + String(repeating: "░", count: width - full) + " \(Int(share * 100)) %"
    }
}
