internal import CKFSystemShim
import Foundation

/// Times of the system in nanoseconds.
enum SystemTime {
    /// What a clock counts, for instance `CLOCK_BOOTTIME`.
    static func now(of clock: Int32) -> Int64 { kf_clock_nanoseconds(clock) }

    /// How long the machine has slept since it started.
    static var asleep: Duration {
        .nanoseconds(now(of: CLOCK_BOOTTIME) - now(of: CLOCK_MONOTONIC))
    }

    /// Blocks the thread for a time, or until a signal arrives.
    ///
    /// The only way to do so here: ``RuntimeWatch`` takes a thread that sleeps for one that waits
    /// inside libdispatch.
    static func pause(_ time: Duration) {
        kf_pause(Int64(min(1e18, max(0, time / .nanoseconds(1)))))
    }

    /// When a file was changed, since 1970; wraps for dates beyond the year 2262.
    static func modified(_ status: stat) -> Int64 {
        withUnsafePointer(to: status) { kf_modified_nanoseconds($0) }
    }
}
