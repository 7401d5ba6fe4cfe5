import Dispatch
import Foundation

/// Tells whether the running code is on the main queue.
///
/// `Thread.isMainThread` alone is not the answer on Linux: under `dispatchMain()` and under an
/// async `@main` the main queue runs on other threads. A key on the queue itself is right there,
/// and the main thread before any loop runs counts as main as well.
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
