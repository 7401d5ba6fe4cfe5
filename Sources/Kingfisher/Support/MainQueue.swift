import Dispatch
import Foundation

/// Detects whether the current code runs on the main queue.
///
/// `Thread.isMainThread` is not enough on Linux: under `dispatchMain()` and an async `@main` the
/// main queue runs on other threads. A key on the queue itself covers these cases, and the main
/// thread before any loop runs counts as main too.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool {
        DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread
    }
}
