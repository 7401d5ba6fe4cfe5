import Foundation

/// The costs of a repeated operation of the main thread.
struct Costs {
    /// The cost of one operation in milliseconds.
    struct Cost {
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

    private(set) var all: [Cost] = []
    private var start: (time: ContinuousClock.Instant, processor: Double, wait: Double)?
    private let statistics: Int32

    /// Reads the time of waiting for a core only if asked to, because that takes some microseconds.
    init(countsWaits: Bool) {
        // Only some kernels have this file; without it the waiting time is 0.
        statistics = countsWaits ? open("/proc/self/task/\(getpid())/schedstat", O_RDONLY) : -1
    }

    mutating func begins() {
        let wait = waitingTime
        let processor = Self.processorTime
        start = (.now, processor, wait)
    }

    mutating func ended() {
        guard let start else { return }
        all.append(
            Cost(
                wall: (ContinuousClock.now - start.time) / .milliseconds(1),
                processor: Self.processorTime - start.processor,
                waitingForCore: waitingTime - start.wait
            )
        )
        self.start = nil
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
}
