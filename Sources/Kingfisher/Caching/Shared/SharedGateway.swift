import Foundation
import Synchronization

/// Passes requests to a shared storage: each is bounded in time, and after some failures in a row
/// none is sent for a while.
final class SharedGateway: Sendable {
    /// The outcome of a request.
    enum Reply<Value: Sendable>: Sendable {
        case value(Value)
        /// The storage failed or took too long.
        case failed
        /// The storage is paused and was not asked.
        case paused

        var value: Value? {
            if case .value(let value) = self { value } else { nil }
        }
    }

    let storage: any SharedImageStorage
    private let settings: SharedStorageSettings
    private let clock: WallClock
    private let breaker: Mutex<CircuitBreaker>

    init(_ storage: any SharedImageStorage, settings: SharedStorageSettings, clock: WallClock) {
        self.storage = storage
        self.settings = settings
        self.clock = clock
        breaker = Mutex(
            CircuitBreaker(
                limit: max(1, settings.failuresBeforePause),
                pause: settings.pause.inBoundedSeconds
            )
        )
    }

    /// Whether requests are refused now.
    var isPaused: Bool { breaker.withLock { $0.isPaused(at: clock.now()) } }

    /// Sends a request.
    ///
    /// - Parameter request: Calls the storage.
    /// - Returns: The storage's response; after the time-out `failed`.
    func ask<Value: Sendable>(
        _ request: @escaping @Sendable (any SharedImageStorage) async throws -> Value
    ) async -> Reply<Value> {
        guard breaker.withLock({ $0.admits(at: clock.now()) }) else { return .paused }
        do {
            let value = try await clock.run(within: settings.timeout.inBoundedSeconds) {
                [storage] in try await request(storage)
            }
            breaker.withLock { $0.succeeded() }
            return .value(value)
        } catch {
            if breaker.withLock({ $0.failed(at: clock.now()) }) { report(error) }
            return .failed
        }
    }

    private func report(_ error: any Error) {
        let reason = error is TimedOut ? "no response within \(settings.timeout)" : "\(error)"
        Log.warning(
            "The shared storage fails and is paused; loads continue without it: \(reason)",
            key: ""
        )
    }
}

/// Decides whether a service that failed repeatedly is asked again.
struct CircuitBreaker {
    /// The number of failures in a row that starts a pause.
    let limit: Int
    /// The length of a pause in seconds.
    let pause: TimeInterval
    private var failures = 0
    /// The time of the last failure or trial while there are too many failures.
    private var pausedAt: TimeInterval = 0

    init(limit: Int, pause: TimeInterval) {
        self.limit = limit
        self.pause = pause
    }

    /// Whether requests are refused at a time.
    func isPaused(at now: TimeInterval) -> Bool {
        // If the clock was set back, the pause is over.
        failures >= limit && (0..<pause).contains(now - pausedAt)
    }

    /// Whether a request may be sent; after a pause, true for a single trial.
    mutating func admits(at now: TimeInterval) -> Bool {
        guard failures >= limit else { return true }
        guard !isPaused(at: now) else { return false }
        pausedAt = now
        return true
    }

    mutating func succeeded() { failures = 0 }

    /// Records a failure.
    ///
    /// - Returns: Whether it starts a pause, as opposed to extending one.
    mutating func failed(at now: TimeInterval) -> Bool {
        pausedAt = now
        guard failures < limit else { return false }
        failures += 1
        return failures == limit
    }
}
