import Foundation
import Synchronization

/// A line on the terminal that fills as bytes come in.
///
/// It is drawn on standard error, so that results stay clean.
final class ProgressBar: Sendable {
    private struct State {
        var lastShare = -1
        var isShown = false
    }

    private let state = Mutex(State())

    /// Draws what has come; `total` is 0 or less when the server did not say.
    func update(received: Int64, total: Int64) {
        let share = total > 0 ? Int(min(100, received * 100 / total)) : -2
        let text = state.withLock { state -> String? in
            guard share != state.lastShare || share < 0 else { return nil }
            state.lastShare = share
            state.isShown = true
            return Self.line(share: share, received: received)
        }
        if let text { StandardError.write("\r" + text, terminator: "") }
    }

    /// Takes the line away again.
    func clear() {
        let wasShown = state.withLock { state in
            defer { state.isShown = false }
            return state.isShown
        }
        // "\u{1B}[K" erases to the end of the line.
        if wasShown { StandardError.write("\r\u{1B}[K", terminator: "") }
    }

    private static func line(share: Int, received: Int64) -> String {
        let size = Readable.bytes(Int(received))
        guard share >= 0 else { return "  \(size)  " }
        let width = 30
        let full = share * width / 100
        let bar =
            String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
        return "  \(bar) \(share) %  \(size)  "
    }
}
