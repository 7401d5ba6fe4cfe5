import Dispatch
import Foundation

/// How retry strategies wait.
enum RetryDelay {
    /// Calls a closure after a number of seconds.
    typealias Schedule = @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void

    static let onMainQueue: Schedule = { seconds, body in
        DispatchQueue.main.asyncAfter(deadline: .now() + min(seconds, 1e9), execute: body)
    }
}
