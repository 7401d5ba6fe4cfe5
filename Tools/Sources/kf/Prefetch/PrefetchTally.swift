import Foundation
import Synchronization

extension PrefetchCommand {
    /// The outcome for one URL; one line of `--json`.
    struct Outcome: Report {
        let url: String
        /// `loaded`, `cached` or `failed`.
        let status: String
        let error: String?
        /// The key in the cache; nil for a failure.
        var key: String?

        private enum CodingKeys: String, CodingKey {
            case url = "source"
            case error
        }

        var lineStatus: String { status }

        func summary() -> String {
            "\(LibraryErrorText.shown(url))  \(error ?? status)"
        }
    }

    /// The final report of a run.
    struct Summary: Report {
        var loaded = 0
        var cached = 0
        var failed = 0
        /// The images that the cache has removed again.
        var evicted = 0
        /// One line per failure.
        var failures: [String] = []

        enum CodingKeys: CodingKey {
            case loaded, cached, failed, evicted
        }

        func summary() -> String {
            "\(loaded) loaded, \(cached) already cached"
                + (failed > 0 ? ", \(failed) failed" : "")
                + (evicted > 0 ? ", \(evicted) removed again" : "")
        }
    }

    /// Counts outcomes and draws the progress bar.
    final class Tally: Sendable {
        private let state: Mutex<Summary>
        private let keys = Mutex<[String]>([])
        private let total: Int
        private let showsProgress: Bool
        private let refused: Int
        private let start = ContinuousClock.now

        init(total: Int, showsProgress: Bool, _ refused: [String]) {
            self.total = total
            self.showsProgress = showsProgress
            self.refused = refused.count
            state = Mutex(Summary(failed: refused.count, failures: refused))
        }

        var summary: Summary { state.withLock { $0 } }

        /// The keys of the images that are in the cache, or were.
        var cachedKeys: [String] { keys.withLock { $0 } }

        func add(_ outcome: Outcome) {
            if let key = outcome.key { keys.withLock { $0.append(key) } }
            let summary = state.withLock { summary in
                switch outcome.status {
                case "loaded": summary.loaded += 1
                case "cached": summary.cached += 1
                default:
                    summary.failed += 1
                    summary.failures.append(outcome.error ?? "failed")
                }
                return summary
            }
            guard showsProgress else { return }
            let done = summary.loaded + summary.cached + summary.failed - refused
            let seconds = start.duration(to: .now) / .seconds(1)
            Terminal.showStatus(
                ConvertTally.line(done: done, total: total, failed: summary.failed, seconds)
            )
        }
    }
}
