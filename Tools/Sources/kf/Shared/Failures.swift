import Synchronization

/// Counts what became of several inputs, and collects the lines of failures, from several tasks.
final class Failures: Sendable {
    private let counts = Mutex(BatchSummary())
    private let lines = Mutex<[String]>([])

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
        counts.withLock { $0.failed += 1 }
    }

    /// Counts an image that is done, or whose output was there.
    func addImage(isSkipped: Bool = false) {
        counts.withLock { summary in
            if isSkipped { summary.skipped += 1 } else { summary.images += 1 }
        }
    }

    var all: [String] { lines.withLock { $0 } }

    var summary: BatchSummary { counts.withLock { $0 } }
}

/// The last line of `--json` of a command with several inputs; people read the others.
struct BatchSummary: Report {
    var images = 0
    var skipped = 0
    var failed = 0

    func summary() -> String { "" }
}
