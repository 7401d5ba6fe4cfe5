import CKFCurlShim

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
        CurlTime(sinceBoot: .nanoseconds(SystemTime.now(of: CLOCK_BOOTTIME)))
    }

    static func < (a: CurlTime, b: CurlTime) -> Bool { a.sinceBoot < b.sinceBoot }

    static func - (a: CurlTime, b: CurlTime) -> Duration { a.sinceBoot - b.sinceBoot }

    static func + (time: CurlTime, duration: Duration) -> CurlTime {
        CurlTime(sinceBoot: time.sinceBoot + duration)
    }
}

/// The current iteration of the loop, and the work that its transfers leave for later.
final class CurlRound {
    /// The time at its start.
    private(set) var now = CurlTime.now
    private(set) var number: UInt64 = 0
    /// The transfers with bytes to hand on at its end.
    private var gathering: [CurlExchange] = []
    /// The transfers that have used their share, and continue in the next round.
    private var waiting: [CurlExchange] = []

    /// After this time, transfers that have been served in the round wait for the next one.
    ///
    /// `kf_trust.c` has the same limit for connections with TLS.
    private static let length = Duration.milliseconds(4)

    /// Whether the round has lasted long enough.
    var isLong: Bool { .now - now > Self.length }

    /// Whether the next round must begin without waiting for sockets.
    var hasWaiting: Bool { !waiting.isEmpty }

    func begin() {
        now = .now
        number &+= 1
        kf_curl_begin_round()
    }

    func gather(_ exchange: CurlExchange) { gathering.append(exchange) }

    func wait(_ exchange: CurlExchange) { waiting.append(exchange) }

    func takeGathering() -> [CurlExchange] {
        // Usually empty; an array that keeps its capacity is not copied.
        if gathering.isEmpty { return [] }
        defer { gathering = [] }
        return gathering
    }

    func takeWaiting() -> [CurlExchange] {
        if waiting.isEmpty { return [] }
        defer { waiting = [] }
        return waiting
    }
}
