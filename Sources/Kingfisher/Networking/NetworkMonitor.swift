public import Foundation
import Synchronization

/// Reports whether the network is available, and when it becomes available.
protocol NetworkMonitoring: Sendable {
    /// Whether there is a route to the outside now.
    var isConnected: Bool { get }

    /// Waits for the network; the callback is called at most once, on a queue of the library.
    ///
    /// - Parameters:
    ///   - timeoutInterval: The time-out in seconds, after which the callback receives false; nil
    ///     waits forever.
    ///   - callback: Receives true when the network is available.
    /// - Returns: The observer, which can be cancelled or notified.
    func observeConnectivity(
        timeoutInterval: TimeInterval?,
        callback: @escaping @Sendable (Bool) -> Void
    ) -> any NetworkObserver
}

/// A pending wait for the network.
protocol NetworkObserver: AnyObject, Sendable {
    /// Ends the wait with a result.
    func notify(isConnected: Bool)

    /// Ends the wait without calling the callback.
    func cancel()
}

/// Watches the routing tables of the kernel.
///
/// Costs nothing without observers: the watch starts with the first observer and ends with the
/// last. An observer retains the monitor until it ends.
final class NetworkMonitor: NetworkMonitoring {
    /// The monitor of this machine.
    static let system = NetworkMonitor(
        isReachable: RouteWatch.hasRoute,
        watch: { RouteWatch(onChange: $0) },
        clock: .system
    )

    private struct State: Sendable {
        var observers: [Int: Observer] = [:]
        var nextID = 0
        var watch: (any Sendable)?
    }

    private let state = Mutex(State())
    private let isReachable: @Sendable () -> Bool
    private let watch: @Sendable (@escaping @Sendable () -> Void) -> any Sendable
    private let clock: WallClock

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - isReachable: Returns whether the network is available now.
    ///   - watch: Calls back on possible changes until the returned value is released.
    ///   - clock: The clock for time-outs.
    init(
        isReachable: @escaping @Sendable () -> Bool,
        watch: @escaping @Sendable (@escaping @Sendable () -> Void) -> any Sendable,
        clock: WallClock
    ) {
        self.isReachable = isReachable
        self.watch = watch
        self.clock = clock
    }

    var isConnected: Bool { isReachable() }

    func observeConnectivity(
        timeoutInterval: TimeInterval?,
        callback: @escaping @Sendable (Bool) -> Void
    ) -> any NetworkObserver {
        let observer = state.withLock { state in
            state.nextID += 1
            let id = state.nextID
            let observer = Observer(callback: callback) { self.forget(id) }
            state.observers[id] = observer
            return observer
        }
        if let timeoutInterval {
            observer.expire(
                with: clock.every(max(0.001, timeoutInterval)) { [weak observer] in
                    observer?.notify(isConnected: false)
                }
            )
        }
        startWatching()
        // The network may have returned before the watch started.
        routesDidChange()
        return observer
    }

    /// The number of observers.
    var observerCount: Int { state.withLock { $0.observers.count } }

    private func startWatching() {
        guard state.withLock({ $0.watch == nil && !$0.observers.isEmpty }) else { return }
        let watch = watch { [weak self] in self?.routesDidChange() }
        state.withLock { state in
            if state.watch == nil, !state.observers.isEmpty { state.watch = watch }
        }
    }

    private func routesDidChange() {
        guard isReachable() else { return }
        let observers = state.withLock { Array($0.observers.values) }
        for observer in observers { observer.notify(isConnected: true) }
    }

    private func forget(_ id: Int) {
        let watch = state.withLock { state -> (any Sendable)? in
            state.observers[id] = nil
            guard state.observers.isEmpty else { return nil }
            defer { state.watch = nil }
            return state.watch
        }
        // Released outside the lock, because the deinit may wait for a running callback.
        withExtendedLifetime(watch) {}
    }
}

extension NetworkMonitor {
    /// A wait that ends once: with a network, by time-out, or by cancellation.
    private final class Observer: NetworkObserver {
        private struct State: Sendable {
            var callback: (@Sendable (Bool) -> Void)?
            var timer: RepeatingTimer?
        }

        private let state: Mutex<State>
        private let ended: @Sendable () -> Void

        init(callback: @escaping @Sendable (Bool) -> Void, ended: @escaping @Sendable () -> Void) {
            state = Mutex(State(callback: callback))
            self.ended = ended
        }

        /// Stores the timer of the time-out, unless the wait has ended.
        func expire(with timer: RepeatingTimer) {
            state.withLock { state in
                if state.callback != nil { state.timer = timer }
            }
        }

        func notify(isConnected: Bool) {
            guard let callback = end() else { return }
            // Asynchronously, because it may be called before `observeConnectivity` has returned.
            RetryDelay.queue.async { callback(isConnected) }
        }

        func cancel() { _ = end() }

        private func end() -> (@Sendable (Bool) -> Void)? {
            let last = state.withLock { state in
                defer { state = State() }
                return state
            }
            if last.callback != nil { ended() }
            return last.callback
        }
    }
}

/// The network is metered and the request must not use it.
///
/// A load with a low-data source then uses that source. Thrown if
/// ``ImageDownloader/isNetworkConstrained`` or GIO reports a metered network. A custom transport
/// can also report it, as the reason of ``TransferError/rejected(reason:url:)``.
public struct ConstrainedNetworkError: Error, LocalizedError {
    /// Makes an error.
    public init() {}

    /// The failure, as a sentence.
    public var errorDescription: String? {
        "The network is metered, and the request may not use it."
    }
}

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
