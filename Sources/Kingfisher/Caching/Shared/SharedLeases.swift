import Foundation
import Synchronization

/// The right of this machine to make an image while other machines wait for it.
///
/// Everything that makes or stores the image retains it. It ends with its last reference, after the
/// stored image was sent, or by itself after ``SharedStorageSettings/leaseDuration``.
final class SharedLease: Sendable {
    let token: String
    private let release: @Sendable (String) -> Void

    init(token: String, release: @escaping @Sendable (String) -> Void) {
        self.token = token
        self.release = release
    }

    deinit { release(token) }
}

/// The leases of a cache; all loads of this machine share one.
final class SharedLeases: Sendable {
    /// The outcome of a claim.
    enum Claim: Sendable {
        /// This machine makes the image.
        case granted(SharedLease)
        /// Another machine has made the image.
        case made
        /// The machines do not coordinate: the storage fails, or another machine takes too long.
        case none
    }

    private struct Weak {
        let token: String
        weak var lease: SharedLease?
    }

    /// The first wait for another machine in seconds; later ones are longer, up to the longest.
    private static let waits = (first: 0.005, factor: 1.5, longest: 0.1)

    private let gateway: SharedGateway
    private let settings: SharedStorageSettings
    private let clock: WallClock
    private let counts: SharedCounts
    private let writes: SharedWrites
    private let claims = JobTable<String, Claim>()
    private let held = Mutex<[String: Weak]>([:])

    init(
        _ gateway: SharedGateway,
        settings: SharedStorageSettings,
        clock: WallClock,
        counts: SharedCounts,
        writes: SharedWrites
    ) {
        self.gateway = gateway
        self.settings = settings
        self.clock = clock
        self.counts = counts
        self.writes = writes
    }

    /// Claims the lease of a name, or waits for the machine that has it.
    ///
    /// - Parameters:
    ///   - name: The name of the value.
    ///   - isStored: Whether this machine has the value by now.
    ///   - find: Looks for the value here and in the storage.
    /// - Returns: How to continue; within ``SharedStorageSettings/leaseWait`` and a time-out.
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func claim(
        _ name: String,
        isStored: @Sendable () -> Bool,
        find: @escaping @Sendable () async throws -> SharedFinding
    ) async throws -> Claim {
        guard settings.leaseWait > .zero else { return .none }
        if let lease = held.withLock({ $0[name]?.lease }) {
            // Another load of this machine has it, or is about to give it back.
            return isStored() ? .made : .granted(lease)
        }
        return try await claims.value(for: name) { [self] in try await acquire(name, find) }
    }

    private func acquire(
        _ name: String,
        _ find: @Sendable () async throws -> SharedFinding
    ) async throws -> Claim {
        let token = Self.makeToken()
        var remaining = settings.leaseWait.inBoundedSeconds
        var wait = Self.waits.first
        while true {
            let reply = await gateway.ask { [settings] in
                try await $0.acquireLease(of: name, token: token, for: settings.leaseDuration)
            }
            switch reply {
            case .value(true): return try await checked(grant(name, token), find)
            case .value(false): break
            case .failed:
                // The response may have been lost.
                writes.release(name, token: token)
                return .none
            case .paused: return .none
            }
            guard remaining > 0 else {
                counts.change { $0.fruitlessWaits += 1 }
                return .none
            }
            try await clock.sleep(min(wait, remaining))
            remaining -= wait
            wait = min(wait * Self.waits.factor, Self.waits.longest)
            switch try await find() {
            case .hit:
                counts.change { $0.madeElsewhere += 1 }
                return .made
            case .miss: break
            case .unavailable: return .none
            }
        }
    }

    private func grant(_ name: String, _ token: String) -> SharedLease {
        counts.change { $0.leases += 1 }
        let lease = SharedLease(token: token) { [weak self, writes] token in
            self?.held.withLock { held in
                if held[name]?.token == token { held[name] = nil }
            }
            writes.release(name, token: token)
        }
        held.withLock { $0[name] = Weak(token: token, lease: lease) }
        return lease
    }

    /// The lease, unless another machine has made the image since the lookup.
    private func checked(
        _ lease: SharedLease,
        _ find: @Sendable () async throws -> SharedFinding
    ) async throws -> Claim {
        guard case .hit = try await find() else { return .granted(lease) }
        counts.change { $0.madeElsewhere += 1 }
        return .made
    }

    /// A random token of 128 bits.
    private static func makeToken() -> String {
        var random = SystemRandomNumberGenerator()
        return "\(String(random.next(), radix: 16))-\(String(random.next(), radix: 16))"
    }
}
