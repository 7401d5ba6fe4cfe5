import Foundation
import Synchronization

@testable import Kingfisher

/// A clock whose hands are turned by the test, timers included.
final class ManualClock: Sendable {
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

    var now: TimeInterval { state.withLock { $0.now } }
    var date: Date { Date(timeIntervalSinceReferenceDate: now) }
    var timerIntervals: [TimeInterval] {
        state.withLock { $0.timers.values.map(\.interval).sorted() }
    }

    var clock: WallClock {
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

    /// Turns the hands, backwards if `seconds` is negative, and calls the timers that are due.
    func advance(by seconds: TimeInterval) {
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
