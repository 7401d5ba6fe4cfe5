import Synchronization

/// The source of the state whether the network is metered.
///
/// The library itself cannot determine it; another module can set a source.
package final class NetworkMeter: Sendable {
    /// The meter of the machine, used by default.
    package static let system = NetworkMeter()

    private let source = Mutex<(@Sendable () -> Bool)?>(nil)

    package init() {}

    /// Whether a source is set.
    package var hasSource: Bool { source.withLock { $0 != nil } }

    /// Whether the network is metered now; false without a source.
    package var isMetered: Bool {
        // Called outside the lock, because it is foreign code.
        let source = source.withLock { $0 }
        return source?() ?? false
    }

    /// Sets the source; it is called on any thread and must return without blocking.
    package func ask(_ source: @escaping @Sendable () -> Bool) {
        self.source.withLock { $0 = source }
    }
}
