import Synchronization

/// Those who want to know what loads do.
///
/// While there is nobody, an event costs one atomic load.
final class LoadObservers: Sendable {
    typealias Handler = @Sendable (LoadEvent) -> Void

    private let isObserved = Atomic(false)
    private let handlers = Mutex<[UInt64: Handler]>([:])
    private let lastID = Atomic<UInt64>(0)
    private let start = ContinuousClock.now

    init() {}

    /// Whether anybody listens.
    var isActive: Bool { isObserved.load(ordering: .relaxed) }

    func makeID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Calls `handler` for every event until the observation ends.
    func add(_ handler: @escaping Handler) -> LoadObservation {
        let id = makeID()
        handlers.withLock { $0[id] = handler }
        isObserved.store(true, ordering: .relaxed)
        return LoadObservation { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        handlers.withLock { handlers in
            handlers[id] = nil
            if handlers.isEmpty { isObserved.store(false, ordering: .relaxed) }
        }
    }

    func tell(_ load: LoadIdentity, _ kind: LoadEvent.Kind) {
        let event = LoadEvent(
            load: load.id,
            key: load.key,
            processor: load.processor,
            time: ContinuousClock.now - start,
            kind: kind
        )
        // Called outside of the lock, since a handler may add or remove others.
        let handlers = handlers.withLock { Array($0.values) }
        for handler in handlers { handler(event) }
    }
}

/// Names a load in its events.
struct LoadIdentity: Sendable {
    let id: UInt64
    let key: String
    let processor: String
}

/// An observation of loads, which ends with its last reference.
public final class LoadObservation: Sendable {
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }

    deinit { stop() }

    /// Ends the observation now.
    public func cancel() { stop() }
}
