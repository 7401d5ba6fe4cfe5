import CGalleryGTK
import Foundation
import KingfisherGTK

/// The costs of the frames of a window.
///
/// A frame is the frame clock's work: layout with binds, painting, and handing over the pixels.
/// Waiting for the clock's next tick is not included.
final class FrameCosts {
    /// The cost of one frame in milliseconds.
    private struct Cost {
        /// Wall-clock time.
        var wall: Double
        /// CPU time of the main thread.
        var processor: Double
        /// Time in which the main thread was runnable but other threads or programs had its core.
        var waitingForCore: Double
        /// Time in which the main thread was blocked, mostly by the display server.
        var waitingForOthers: Double { max(0, wall - processor - waitingForCore) }
        /// The time without waiting for a core.
        var undisturbed: Double { max(0, wall - waitingForCore) }
    }

    private var all: [Cost] = []
    private var start: (time: ContinuousClock.Instant, processor: Double, wait: Double)?
    /// Only some kernels have this file; without it the waiting time is 0.
    private let statistics = open("/proc/self/task/\(getpid())/schedstat", O_RDONLY)
    private let clock: UnsafeMutableRawPointer
    private var onUpdate: ((_ seconds: Double) -> Void)?
    /// Called after each recorded frame; its cost is not part of the frame's.
    var onPainted: (() -> Void)?
    private var last = ContinuousClock.now

    /// Observes the frames of a window that is on screen.
    init(of window: Widget) {
        guard let clock = gtk_widget_get_frame_clock(window) else {
            preconditionFailure("a window on screen has a frame clock")
        }
        self.clock = UnsafeMutableRawPointer(clock)
        GtkSignal.connect(self.clock, "before-paint") { [weak self] in self?.begins() }
        GtkSignal.connect(self.clock, "after-paint") { [weak self] in self?.ended() }
        GtkSignal.connect(self.clock, "update") { [weak self] in self?.updates() }
    }

    /// Records frames without pause.
    ///
    /// - Parameters:
    ///   - seconds: The duration.
    ///   - body: Called in each frame with the time since the previous one in seconds.
    /// - Throws: `CancellationError`.
    func record(for seconds: Double, _ body: @escaping (_ seconds: Double) -> Void) async throws {
        last = .now
        onUpdate = body
        gdk_frame_clock_begin_updating(OpaquePointer(clock))
        try await Task.sleep(for: .seconds(seconds))
        gdk_frame_clock_end_updating(OpaquePointer(clock))
        onUpdate = nil
    }

    /// Records a number of frames without pause.
    ///
    /// - Parameters:
    ///   - count: The number of frames.
    ///   - body: Called in each frame.
    /// - Throws: `CancellationError`.
    func record(frames count: Int, _ body: @escaping () -> Void) async throws {
        var left = count
        onUpdate = { _ in
            left -= 1
            if left >= 0 { body() }
        }
        gdk_frame_clock_begin_updating(OpaquePointer(clock))
        while left >= 0 { try await Task.sleep(for: .milliseconds(1)) }
        gdk_frame_clock_end_updating(OpaquePointer(clock))
        onUpdate = nil
    }

    private func updates() {
        let now = ContinuousClock.now
        onUpdate?((now - last) / .seconds(1))
        last = now
    }

    private func begins() {
        let wait = waitingTime
        let processor = Self.processorTime
        start = (.now, processor, wait)
    }

    private func ended() {
        defer { start = nil }
        guard let start, onUpdate != nil else { return }
        defer { onPainted?() }
        all.append(
            Cost(
                wall: (ContinuousClock.now - start.time) / .milliseconds(1),
                processor: Self.processorTime - start.processor,
                waitingForCore: waitingTime - start.wait
            )
        )
    }

    /// The CPU time of the calling thread in milliseconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    /// The total time that the main thread has waited for a core, in milliseconds.
    private var waitingTime: Double {
        guard statistics >= 0 else { return 0 }
        // Nanoseconds on a processor, nanoseconds of waiting for one, and number of time slices.
        var text = [UInt8](repeating: 0, count: 80)
        let count = pread(statistics, &text, text.count, 0)
        guard count > 0 else { return 0 }
        let numbers = text[..<count].split(separator: UInt8(ascii: " "))
        guard numbers.count > 1 else { return 0 }
        return (Double(String(decoding: numbers[1], as: UTF8.self)) ?? 0) / 1_000_000
    }

    // MARK: Report

    /// Prints the distribution of each part of the cost.
    func report() {
        report("frame", all.map(\.wall))
        report("    on a processor, the main thread alone", all.map(\.processor))
        report("    waiting for a core", all.map(\.waitingForCore))
        report("    waiting for others, the display server", all.map(\.waitingForOthers))
        report("frame without the waits for a core", all.map(\.undisturbed))
    }

    private func report(_ name: String, _ values: [Double]) {
        let sorted = values.sorted()
        guard let longest = sorted.last else { return print("\(name): none") }
        func share(_ part: Double) -> String {
            String(format: "%.3f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
        }
        print(
            "\(name): \(sorted.count), ms: p50 \(share(0.5)) p90 \(share(0.9)) p99 \(share(0.99))"
                + String(format: " max %.3f", longest)
        )
    }
}
