import Foundation

/// What something that the main thread does again and again took each time.
struct Costs {
    /// What it took one time, in milliseconds.
    struct Cost {
        /// On the clock on the wall.
        var wall: Double
        /// Of a processor, on the main thread alone.
        var processor: Double
        /// While the main thread could have run and other threads, or other programs, did.
        var waitingForCore: Double
        /// While the main thread waited for somebody, which is mostly the display server.
        var waitingForOthers: Double { max(0, wall - processor - waitingForCore) }
        /// What it would have taken with a core of its own.
        var undisturbed: Double { max(0, wall - waitingForCore) }
    }

    private(set) var all: [Cost] = []
    private var start: (time: ContinuousClock.Instant, processor: Double, wait: Double)?
    private let statistics: Int32

    /// Looks at the waits for a core only if asked to: that takes some microseconds each time.
    init(countsWaits: Bool) {
        // Without the file, which only some kernels have, nobody ever waits for a core.
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

    /// What the calling thread has had of a processor, in milliseconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    /// How long the main thread has waited for a processor since it began, in milliseconds.
    private var waitingTime: Double {
        guard statistics >= 0 else { return 0 }
        // Nanoseconds on a processor, nanoseconds of waiting for one, and times it got one.
        var text = [UInt8](repeating: 0, count: 80)
        let count = pread(statistics, &text, text.count, 0)
        guard count > 0 else { return 0 }
        let numbers = text[..<count].split(separator: UInt8(ascii: " "))
        guard numbers.count > 1 else { return 0 }
        return (Double(String(decoding: numbers[1], as: UTF8.self)) ?? 0) / 1_000_000
    }
}
