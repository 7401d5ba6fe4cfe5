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

    /// When a file was changed, since 1970; wraps for dates beyond the year 2262.
    static func modified(_ status: stat) -> Int64 {
        withUnsafePointer(to: status) { kf_modified_nanoseconds($0) }
    }
}
