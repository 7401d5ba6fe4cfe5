@preconcurrency import Dispatch
public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The source of the time and of repeating timers; tests replace it with a manual one.
public struct WallClock: Sendable {
    /// The seconds since 2001-01-01 UTC, the same count as `Date.timeIntervalSinceReferenceDate`.
    public let now: @Sendable () -> TimeInterval
    /// Calls a function every given number of seconds until the returned timer is released.
    public let every: @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> RepeatingTimer

    /// The system's clock, read with the resolution of the kernel's tick (1–4 ms).
    ///
    /// The coarse clock takes 5 ns instead of 25, and every memory hit reads the time.
    public static let system = WallClock(now: coarseNow, every: dispatchTimer)

    /// Makes a clock of two functions, both called on any thread.
    ///
    /// - Parameters:
    ///   - now: Returns the seconds since 2001-01-01 UTC.
    ///   - every: Starts a timer with an interval in seconds.
    public init(
        now: @escaping @Sendable () -> TimeInterval,
        every: @escaping @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> RepeatingTimer
    ) {
        self.now = now
        self.every = every
    }

    private static func coarseNow() -> TimeInterval {
        TimeInterval(SystemTime.now(of: CLOCK_REALTIME_COARSE)) * 1e-9
            - Date.timeIntervalBetween1970AndReferenceDate
    }

    private static func dispatchTimer(
        every interval: TimeInterval,
        work: @escaping @Sendable () -> Void
    ) -> RepeatingTimer {
        // About 30 years replace NaN and values above the range of a timer.
        let interval = interval < 1e9 ? max(0.001, interval) : 1e9
        // Neither tasks nor decoders keep the threads of this class busy.
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInteractive))
        // A leeway of a tenth of the interval lets the kernel combine wake-ups.
        let leeway = DispatchTimeInterval.milliseconds(Int(min(interval * 100, 60_000)))
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: leeway)
        timer.setEventHandler(handler: work)
        timer.activate()
        return RepeatingTimer { timer.cancel() }
    }
}

/// A repeating timer; it stops when its last reference is released.
public final class RepeatingTimer: Sendable {
    private let stop: @Sendable () -> Void

    /// Makes a timer that calls `stop` once when it is released.
    public init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }
}

extension Duration {
    /// The length in seconds.
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// The length in milliseconds.
    var inMilliseconds: Double { inSeconds * 1_000 }
}

/// Thrown by ``WallClock/run(within:_:)``.
struct TimedOut: Error {}

extension WallClock {
    /// Runs work, and returns its result.
    ///
    /// After the given time the work is cancelled, and the call returns without waiting for it.
    ///
    /// - Parameters:
    ///   - seconds: The limit, greater than 0.
    ///   - work: The work; it does not inherit the caller's cancellation.
    /// - Returns: The result of `work`.
    /// - Throws: ``TimedOut``, or the error of `work`.
    func run<Value: Sendable>(
        within seconds: TimeInterval,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        var timer: RepeatingTimer?
        let result = await withCheckedContinuation { continuation in
            let end = OnceCompletion<Result<Value, any Error>> {
                continuation.resume(returning: $0)
            }
            let late = CancellationLatch()
            timer = every(seconds) {
                late.cancel()
                end(.failure(TimedOut()))
            }
            let task = Task {
                do { end(.success(try await work())) } catch { end(.failure(error)) }
                late.finish()
            }
            late.onCancel { task.cancel() }
        }
        withExtendedLifetime(timer) {}
        return try result.get()
    }

    /// Waits.
    ///
    /// - Parameter seconds: The time to wait, greater than 0.
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func sleep(_ seconds: TimeInterval) async throws {
        let cancelled = CancellationLatch()
        var timer: RepeatingTimer?
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let end = OnceCompletion<Void> { continuation.resume() }
                timer = every(seconds) { end(()) }
                cancelled.onCancel { end(()) }
            }
        } onCancel: {
            cancelled.cancel()
        }
        withExtendedLifetime(timer) {}
        try Task.checkCancellation()
    }
}
