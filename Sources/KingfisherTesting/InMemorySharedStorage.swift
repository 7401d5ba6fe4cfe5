public import Foundation
public import Kingfisher
import Synchronization

/// A shared storage in memory, for tests of programs that share a cache between machines.
///
/// Pass one object to `useSharedStorage(_:)` of several caches, each of which acts as a machine.
/// Set ``faults`` to see how your program behaves while the storage fails.
///
/// ```swift
/// let storage = InMemorySharedStorage()
/// cache.useSharedStorage(storage)
/// ```
public final class InMemorySharedStorage: SharedImageStorage {
    /// How the storage misbehaves.
    public struct Faults: Sendable {
        /// Each call takes this number of seconds of the storage's clock.
        public var delay: TimeInterval = 0
        /// Whether each call throws ``Failure``.
        public var fails = false
        /// Whether calls never return, until their task is cancelled.
        public var isDead = false
        /// Whether values are accepted and lost.
        public var losesWrites = false
        /// Changes each value that is read; nil for none.
        public var damage: (@Sendable (Data) -> Data)?

        /// Makes faults that do nothing.
        public init() {}
    }

    /// The error of a failing storage.
    public struct Failure: Error {
        /// Makes an error.
        public init() {}
    }

    /// A call of the storage, recorded when it began.
    public enum Call: Sendable, Equatable {
        /// A read of these names.
        case values([String])
        /// A store of these names.
        case store([String])
        /// A removal of these names.
        case remove([String])
        /// An attempt to acquire the lease of a name.
        case acquireLease(String)
        /// The release of the lease of a name.
        case releaseLease(String)
        /// A message to other machines.
        case publish
    }

    private struct Expiring<Value: Sendable>: Sendable {
        let value: Value
        let expiry: TimeInterval
    }

    private struct State {
        var faults = Faults()
        var calls: [Call] = []
        var values: [String: Expiring<Data>] = [:]
        var leases: [String: Expiring<String>] = [:]
        var receivers: [Int: AsyncStream<Data>.Continuation] = [:]
        var lastReceiver = 0
    }

    private let clock: WallClock
    private let state = Mutex(State())
    private let begun = EventCount()

    /// Makes an empty storage.
    ///
    /// - Parameter clock: The time for expirations and delays.
    public init(clock: WallClock = .system) { self.clock = clock }

    // MARK: For tests

    /// How the storage misbehaves from now on.
    public var faults: Faults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// The calls so far, in the order in which they began.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// Waits until `count` calls have begun in total, or the task is cancelled.
    public func called(_ count: Int) async { await begun.reached(count) }

    /// The stored values, by name; tests may change them.
    public var contents: [String: Data] {
        get {
            let now = clock.now()
            return state.withLock { $0.values.filter { $0.value.expiry > now }.mapValues(\.value) }
        }
        set {
            state.withLock { state in
                state.values = newValue.mapValues { Expiring(value: $0, expiry: .infinity) }
            }
        }
    }

    /// The names whose leases are held now.
    public var leasedNames: Set<String> {
        let now = clock.now()
        return state.withLock { state in
            Set(state.leases.filter { $0.value.expiry > now }.keys)
        }
    }

    // MARK: SharedImageStorage

    /// Returns the values of several names; see `SharedImageStorage`.
    public func values(for names: [String]) async throws -> [String: Data] {
        let faults = try await begin(.values(names))
        let now = clock.now()
        return state.withLock { state in
            var found: [String: Data] = [:]
            for name in names {
                guard let stored = state.values[name], stored.expiry > now else { continue }
                found[name] = faults.damage?(stored.value) ?? stored.value
            }
            return found
        }
    }

    /// Stores several values; see `SharedImageStorage`.
    public func store(_ items: [SharedStorageItem]) async throws {
        let faults = try await begin(.store(items.map(\.name)))
        guard !faults.losesWrites else { return }
        let now = clock.now()
        state.withLock { state in
            for item in items {
                let expiry = now + item.timeToLive.seconds
                state.values[item.name] = Expiring(value: item.value, expiry: expiry)
            }
        }
    }

    /// Removes the values of several names; see `SharedImageStorage`.
    public func remove(_ names: [String]) async throws {
        _ = try await begin(.remove(names))
        state.withLock { state in for name in names { state.values[name] = nil } }
    }

    /// Acquires the lease of a name; see `SharedImageStorage`.
    public func acquireLease(
        of name: String,
        token: String,
        for duration: Duration
    ) async throws -> Bool {
        _ = try await begin(.acquireLease(name))
        let now = clock.now()
        return state.withLock { state in
            if let lease = state.leases[name], lease.expiry > now { return lease.value == token }
            state.leases[name] = Expiring(value: token, expiry: now + duration.seconds)
            return true
        }
    }

    /// Ends the lease of a name; see `SharedImageStorage`.
    public func releaseLease(of name: String, token: String) async throws {
        _ = try await begin(.releaseLease(name))
        state.withLock { state in
            if state.leases[name]?.value == token { state.leases[name] = nil }
        }
    }

    /// Passes a message to all receivers; see `SharedImageStorage`.
    public func publish(_ message: Data) async throws {
        _ = try await begin(.publish)
        let receivers = state.withLock { Array($0.receivers.values) }
        for receiver in receivers { receiver.yield(message) }
    }

    /// The messages from now on; see `SharedImageStorage`.
    public func messages() -> AsyncStream<Data> {
        AsyncStream { continuation in
            let id = state.withLock { state in
                state.lastReceiver += 1
                state.receivers[state.lastReceiver] = continuation
                return state.lastReceiver
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.receivers.removeValue(forKey: id) }
            }
        }
    }

    // MARK: Faults

    /// Records a call, and returns after its delay.
    private func begin(_ call: Call) async throws -> Faults {
        let faults = faults
        guard faults.isDead || faults.delay > 0 else {
            record(call)
            if faults.fails { throw Failure() }
            return faults
        }
        // The stream ends when the time is over or the task is cancelled. The timer starts before
        // the call is recorded, so that a test that waits for the call can advance the clock.
        let (end, continuation) = AsyncStream<Never>.makeStream()
        let timer = faults.isDead ? nil : clock.every(faults.delay) { continuation.finish() }
        record(call)
        for await _ in end {}
        withExtendedLifetime((timer, continuation)) {}
        try Task.checkCancellation()
        if faults.fails { throw Failure() }
        return faults
    }

    private func record(_ call: Call) {
        state.withLock { $0.calls.append(call) }
        begun.add()
    }
}

extension Duration {
    fileprivate var seconds: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
