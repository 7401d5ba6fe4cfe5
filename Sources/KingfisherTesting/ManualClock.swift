public import Foundation
public import Kingfisher
import Synchronization

/// A clock with timers that the test advances.
///
/// Pass its ``clock`` to the storages of a cache to control when images expire.
///
/// ```swift
/// let bench = try ImageTestBench()
/// bench.clock.advance(by: 3600)
/// ```
public final class ManualClock: Sendable {
    private struct State {
        var now: TimeInterval = 1_000_000
        var timers: [Int: Timer] = [:]
        var nextID = 0
    }

    private struct Timer {
        let interval: TimeInterval
        var next: TimeInterval
        let work: @Sendable () -> Void
    }

    private let state = Mutex(State())

    /// Makes a clock set to one million seconds after 2001-01-01 UTC.
    public init() {}

    /// The seconds since 2001-01-01 UTC.
    public var now: TimeInterval { state.withLock { $0.now } }

    /// The current time as a date.
    public var date: Date { Date(timeIntervalSinceReferenceDate: now) }

    /// The intervals of the running timers in seconds, the shortest first.
    public var timerIntervals: [TimeInterval] {
        state.withLock { $0.timers.values.map(\.interval).sorted() }
    }

    /// The clock to pass to the library.
    public var clock: WallClock {
        WallClock(
            now: { self.now },
            every: { interval, work in
                let id = self.start(interval, work)
                return RepeatingTimer { self.state.withLock { $0.timers[id] = nil } }
            }
        )
    }

    private func start(_ interval: TimeInterval, _ work: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.timers[state.nextID] = Timer(
                interval: interval,
                next: state.now + interval,
                work: work
            )
            return state.nextID
        }
    }

    /// Advances the clock, or sets it back if `seconds` is negative, and calls each due timer once.
    public func advance(by seconds: TimeInterval) {
        let due = state.withLock { state in
            state.now += seconds
            var due: [@Sendable () -> Void] = []
            for (id, var timer) in state.timers where timer.next <= state.now {
                due.append(timer.work)
                timer.next = state.now + timer.interval
                state.timers[id] = timer
            }
            return due
        }
        for work in due { work() }
    }
}
