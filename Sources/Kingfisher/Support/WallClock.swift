@preconcurrency import Dispatch
public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where the date comes from and who calls back later, so that tests can turn the hands.
public struct WallClock: Sendable {
    /// The seconds since 2001-01-01 UTC, the same count as `Date.timeIntervalSinceReferenceDate`.
    public let now: @Sendable () -> TimeInterval
    /// Calls a function every so many seconds until the returned timer is released.
    public let every: @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> RepeatingTimer

    /// The system's clock, read with the resolution of the kernel's tick (1–4 ms).
    ///
    /// The coarse clock costs 5 ns instead of 25, and every hit in memory asks for the time.
    public static let system = WallClock(now: coarseNow, every: dispatchTimer)

    /// Makes a clock of two functions, both called on any thread.
    public init(
        now: @escaping @Sendable () -> TimeInterval,
        every: @escaping @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> RepeatingTimer
    ) {
        self.now = now
        self.every = every
    }

    private static func coarseNow() -> TimeInterval {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) * 1e-9
            - Date.timeIntervalBetween1970AndReferenceDate
    }

    private static func dispatchTimer(
        every interval: TimeInterval,
        work: @escaping @Sendable () -> Void
    ) -> RepeatingTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        // A tenth of the interval as leeway lets the kernel wake the processor once for many.
        let leeway = DispatchTimeInterval.milliseconds(Int(min(interval * 100, 60_000)))
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: leeway)
        timer.setEventHandler(handler: work)
        timer.activate()
        return RepeatingTimer { timer.cancel() }
    }
}

/// A promise to be called again and again, which ends with its last reference.
public final class RepeatingTimer: Sendable {
    private let stop: @Sendable () -> Void

    /// Makes a promise that ends by calling `stop`, once.
    public init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }
}
