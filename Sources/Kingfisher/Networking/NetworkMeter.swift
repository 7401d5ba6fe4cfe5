import Synchronization

/// Says whether the network is metered, as far as anybody knows.
///
/// The library itself does not: a module that has somebody to ask tells the meter whom.
package final class NetworkMeter: Sendable {
    /// The machine's, which downloaders ask that are not told otherwise.
    package static let system = NetworkMeter()

    private let source = Mutex<(@Sendable () -> Bool)?>(nil)

    package init() {}

    /// Whether there is somebody to ask.
    package var hasSource: Bool { source.withLock { $0 != nil } }

    /// Whether the network is metered now; false while nobody knows.
    package var isMetered: Bool {
        // Called outside the lock, because it is not ours.
        let source = source.withLock { $0 }
        return source?() ?? false
    }

    /// Asks somebody from now on; called on any thread, to be answered from memory.
    package func ask(_ source: @escaping @Sendable () -> Bool) {
        self.source.withLock { $0 = source }
    }
}
