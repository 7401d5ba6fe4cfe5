import Dispatch

/// Drives an animated view by reporting the elapsed time at regular intervals.
@MainActor
public protocol FrameTicker: AnyObject {
    /// Starts calling `tick` with the seconds since the previous call.
    func start(_ tick: @escaping @MainActor (Double) -> Void)

    /// Stops calling.
    func stop()
}

/// Ticks 60 times a second on the main queue, for views without a display.
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

    /// The seconds since the previous call.
    private func passed() -> Double {
        let now = clock.now
        defer { last = now }
        return (now - last).inSeconds
    }
}
