import Dispatch

/// Tells again and again how much time has passed: the pulse of an animated view.
@MainActor
public protocol FrameTicker: AnyObject {
    /// Begins to call; the argument is the time in seconds since the last call.
    func start(_ tick: @escaping @MainActor (Double) -> Void)

    /// Calls no more.
    func stop()
}

/// Sixty ticks a second on the main queue, for views without a display.
@MainActor
final class TimerTicker: FrameTicker {
    private var timer: (any DispatchSourceTimer)?
    private let clock = ContinuousClock()
    private var last = ContinuousClock.now

    func start(_ tick: @escaping @MainActor (Double) -> Void) {
        stop()
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now(), repeating: 1.0 / 60, leeway: .milliseconds(2))
        last = clock.now
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                if let self { tick(self.passed()) }
            }
        }
        self.timer = timer
        timer.activate()
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    /// Seconds since the last call.
    private func passed() -> Double {
        let now = clock.now
        defer { last = now }
        return (now - last).inSeconds
    }
}
