#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A time of the clock of `ContinuousClock`, which also runs while the machine sleeps.
///
/// The layout of `ContinuousClock.Instant` is unknown at compile time: copying a value that contains
/// one is a call through a table, and reading a property of that type is checked for overlapping
/// accesses. Each transfer does both about fifty times.
struct CurlTime: Comparable, Sendable {
    private let sinceBoot: Duration

    static var now: CurlTime {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return CurlTime(
            sinceBoot: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        )
    }

    static func < (a: CurlTime, b: CurlTime) -> Bool { a.sinceBoot < b.sinceBoot }

    static func - (a: CurlTime, b: CurlTime) -> Duration { a.sinceBoot - b.sinceBoot }

    static func + (time: CurlTime, duration: Duration) -> CurlTime {
        CurlTime(sinceBoot: time.sinceBoot + duration)
    }
}

/// The time at the start of the current iteration of the loop.
final class CurlClock {
    private(set) var now = CurlTime.now

    func update() { now = .now }
}
