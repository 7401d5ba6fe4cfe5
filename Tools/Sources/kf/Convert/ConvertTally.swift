import Foundation
import Synchronization

/// The outcome for one file; one line of `--json`.
struct ConvertOutcome: Report, Sendable {
    enum Status: String {
        case planned, converted, skipped, failed, notDone
    }

    let input: String
    let output: String?
    var status: Status
    var error: String?
    var width: Int?
    var height: Int?
    var sourceBytes: Int?
    var bytes: Int?
    /// Whether the place where the photograph was taken was removed from a copy.
    var removedPosition: Bool?
    /// The bytes of further images, a map of light or a film that were removed from a copy.
    var removedBytes: Int?
    /// The frames of an animation that the format does not hold.
    var droppedFrames: Int?
    /// Whether the source ended before all pixels were there.
    var truncated: Bool?
    /// The number of files, if each frame has its own.
    var frames: Int?

    private enum CodingKeys: String, CodingKey {
        case input = "source"
        case output, error, width, height, sourceBytes, bytes, removedPosition, removedBytes,
            droppedFrames, truncated, frames
    }

    init(input: String, output: String, status: Status) {
        self.input = input
        self.output = output
        self.status = status
    }

    init(input: String, error: String) {
        self.input = input
        output = nil
        status = .failed
        self.error = error
    }

    /// An input that is not tried, because the disk is full.
    init(notDone input: String) {
        self.input = input
        output = nil
        status = .notDone
    }

    var lineStatus: String { status.rawValue }

    func summary() -> String {
        let head = Terminal.line(input) + (output.map { " → " + Terminal.line($0) } ?? "")
        return switch status {
        case .planned: head
        case .converted:
            "\(head)  \(width ?? 0) × \(height ?? 0), \(Readable.bytes(bytes ?? 0))"
                + (removedPosition == true ? ", without its position" : "")
                + (truncated == true ? ", incomplete" : "")
                + (droppedFrames.map { ", the first of \($0 + 1) frames" } ?? "")
                + (removedBytes.map { ", " + Readable.removed(bytesBehindImage: $0) } ?? "")
        case .skipped: "\(head)  skipped, the output exists"
        case .failed: "\(head)  \(error ?? "failed")"
        case .notDone: "\(head)  not done, the disk is full"
        }
    }
}

/// Counts outcomes and draws the progress bar.
final class ConvertTally: Sendable {
    private struct State {
        var summary = ConvertSummary()
        var done = 0
        var lastDrawn = -1.0
    }

    private let state = Mutex(State())
    private let total: Int
    private let showsProgress: Bool
    private let clock = ContinuousClock()
    private let start = ContinuousClock.now

    init(total: Int, showsProgress: Bool) {
        self.total = total
        self.showsProgress = showsProgress
    }

    func add(_ outcome: ConvertOutcome) {
        state.withLock { state in
            state.done += 1
            state.summary.add(outcome)
        }
        draw()
    }

    /// The counts and the time so far.
    func summary() -> ConvertSummary {
        state.withLock { state in
            state.summary.seconds = (seconds * 1000).rounded() / 1000
            return state.summary
        }
    }

    private var seconds: Double { start.duration(to: clock.now) / .seconds(1) }

    /// Draws the bar at most ten times a second.
    func draw() {
        guard showsProgress else { return }
        let seconds = seconds
        let text: String? = state.withLock { state in
            guard seconds - state.lastDrawn >= 0.1 || state.done == total else { return nil }
            state.lastDrawn = seconds
            return Self.line(done: state.done, total: total, failed: state.summary.failed, seconds)
        }
        if let text { Terminal.showStatus(text) }
    }

    /// A progress line such as `  ████░░ 40 %  80 of 200  46/s  3 s left`.
    static func line(done: Int, total: Int, failed: Int, _ seconds: Double) -> String {
        let share = Double(done) / Double(max(1, total))
        var parts = [ProgressBar.bar(share), "\(done) of \(total)"]
        if done > 0, seconds > 0 {
            let rate = Double(done) / seconds
            parts.append(String(format: rate < 10 ? "%.1f/s" : "%.0f/s", rate))
            let left = (Double(total - done) / rate).rounded(.up)
            if left > 0 { parts.append(Readable.seconds(left) + " left") }
        }
        if failed > 0 { parts.append("\(failed) failed") }
        return "  " + parts.joined(separator: "  ")
    }
}

/// The final report of a run.
struct ConvertSummary: Report {
    private(set) var converted = 0
    private(set) var skipped = 0
    private(set) var failed = 0
    private(set) var notDone = 0
    private(set) var sourceBytes = 0
    private(set) var bytes = 0
    /// The copies whose position was removed.
    private(set) var withoutPosition = 0
    /// The copies that lost further images, a map of light or a film.
    private(set) var withoutFurtherImages = 0
    /// The animations of which only the first frame is kept.
    private(set) var withoutMotion = 0
    /// The files that end early.
    private(set) var truncated = 0
    var seconds = 0.0
    /// One line per failure.
    private(set) var failures: [String] = []

    mutating func add(_ outcome: ConvertOutcome) {
        switch outcome.status {
        case .converted:
            converted += 1
            sourceBytes += outcome.sourceBytes ?? 0
            bytes += outcome.bytes ?? 0
            if outcome.removedPosition == true { withoutPosition += 1 }
            if outcome.removedBytes != nil { withoutFurtherImages += 1 }
            if outcome.droppedFrames != nil { withoutMotion += 1 }
            if outcome.truncated == true { truncated += 1 }
        case .skipped: skipped += 1
        case .failed:
            failed += 1
            failures.append(outcome.error ?? "failed")
        case .notDone: notDone += 1
        case .planned: break
        }
    }

    enum CodingKeys: CodingKey {
        case converted, skipped, failed, notDone, sourceBytes, bytes, withoutPosition,
            withoutFurtherImages, withoutMotion, seconds
    }

    func summary() -> String {
        var parts = ["\(converted) converted"]
        if skipped > 0 { parts.append("\(skipped) skipped") }
        if failed > 0 { parts.append("\(failed) failed") }
        if notDone > 0 { parts.append("\(notDone) not done") }
        let rate = seconds > 0 ? String(format: ", %.1f/s", Double(converted) / seconds) : ""
        let sizes = "\(Readable.bytes(sourceBytes)) → \(Readable.bytes(bytes))"
        let work =
            converted > 0 ? "; \(sizes) in \(Readable.milliseconds(seconds * 1000))\(rate)" : ""
        return parts.joined(separator: ", ") + work
    }
}
