import Synchronization

/// Decides which requests may load their source, so that neither many requests nor large or slow
/// sources exhaust the service.
///
/// It bounds the requests that are admitted at once, the bytes of sources that they hold, and how
/// many of them load from one host. A request that may not load yet waits without holding any
/// bytes; next is the oldest one of the host with the fewest loads. If all places are taken, a host
/// with few requests gets the place of the newest waiting one of the host with the most: a host
/// that never answers only delays its own requests.
///
/// Each operation takes time proportional to the number of hosts of waiting requests.
final class Admission: Sendable {
    /// There is no place left.
    struct Full: Error {}

    /// The request had to leave its place to one of another host.
    struct Displaced: Error {}

    /// The limits.
    struct Limits: Sendable {
        /// The number of requests that may be admitted at once.
        var places: Int
        /// The bytes of sources that all requests together may hold.
        var bytes: Int
        /// The most bytes of one source that are in memory; those of larger ones are in a file.
        var bytesOfSource: Int

        /// The number of requests that may load from one host at once.
        var loadsOfHost: Int { max(1, min(places, bytes / max(1, bytesOfSource)) / 2) }
    }

    private struct Waiter {
        let number: UInt64
        let bytes: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// The requests for the sources of a host.
    private struct Host {
        var places = 0
        var loading = 0
        /// Those that do not load yet, the oldest first.
        var waiters: [Waiter] = []
    }

    private struct State {
        var places = 0
        var bytes = 0
        var hosts: [String: Host] = [:]
        var lastNumber: UInt64 = 0

        mutating func makeNumber() -> UInt64 {
            lastNumber &+= 1
            return lastNumber
        }
    }

    private let limits: Limits
    private let state = Mutex(State())

    /// Makes an object that has admitted nothing.
    init(_ limits: Limits) { self.limits = limits }

    /// The requests that are admitted.
    var count: Int { state.withLock { $0.places } }

    /// The requests that may not load yet.
    var waiting: Int { state.withLock { $0.hosts.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Runs a request with a place as soon as it may load.
    ///
    /// - Parameters:
    ///   - host: The host of the source, or its group (``HostGroup``).
    ///   - sources: The number of sources that are loaded.
    ///   - body: Loads, reports that to its argument, and does the rest.
    /// - Returns: The result of `body`.
    /// - Throws: ``Full``, ``Displaced``; `CancellationError` if the task is cancelled while it
    ///   waits; the errors of `body`.
    func admitted<Value: Sendable>(
        _ host: String,
        sources: Int = 1,
        _ body: (Loading) async throws -> Value
    ) async throws -> Value {
        let bytes = limits.bytesOfSource * sources
        try await enter(host, bytes)
        let loading = Loading(of: self, host, bytes)
        defer { loading.end() }
        return try await body(loading)
    }

    // MARK: Entering

    private func enter(_ host: String, _ bytes: Int) async throws {
        let number = state.withLock { $0.makeNumber() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, bytes: bytes, continuation: continuation)
                enter(waiter, host)
                // Cancelled before it was among the waiters.
                if Task.isCancelled { leave(number, host) }
            }
        } onCancel: {
            leave(number, host)
        }
    }

    private func enter(_ waiter: Waiter, _ host: String) {
        let (isAdmitted, displaced, ready) = state.withLock { state in
            var displaced: Waiter?
            if state.places >= limits.places {
                displaced = Self.displaced(by: host, &state)
                guard displaced != nil else { return (false, displaced, [Waiter]()) }
            }
            state.places += 1
            state.hosts[host, default: Host()].places += 1
            state.hosts[host]?.waiters.append(waiter)
            return (true, displaced, startable(&state))
        }
        if !isAdmitted { waiter.continuation.resume(throwing: Full()) }
        displaced?.continuation.resume(throwing: Displaced())
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Takes the newest waiter of the host with the most places, if it has at least two more than
    /// `host`.
    private static func displaced(by host: String, _ state: inout State) -> Waiter? {
        let own = state.hosts[host]?.places ?? 0
        let largest = state.hosts.lazy
            .filter { !$0.value.waiters.isEmpty && $0.value.places > own + 1 }
            .max { $0.value.places < $1.value.places }
        guard let name = largest?.key, let waiter = state.hosts[name]?.waiters.popLast() else {
            return nil
        }
        giveBackPlace(of: name, &state)
        return waiter
    }

    private func leave(_ number: UInt64, _ host: String) {
        let (waiter, ready) = state.withLock { state -> (Waiter?, [Waiter]) in
            let index = state.hosts[host]?.waiters.firstIndex { $0.number == number }
            guard let index, let waiter = state.hosts[host]?.waiters.remove(at: index) else {
                return (nil, [])
            }
            Self.giveBackPlace(of: host, &state)
            return (waiter, startable(&state))
        }
        waiter?.continuation.resume(throwing: CancellationError())
        for waiter in ready { waiter.continuation.resume() }
    }

    private static func giveBackPlace(of host: String, _ state: inout State) {
        state.places -= 1
        state.hosts[host]?.places -= 1
        if state.hosts[host]?.places == 0 { state.hosts[host] = nil }
    }

    // MARK: Loading

    /// Takes the waiters that may load now: those of the hosts with the fewest loads first, and then
    /// in the order of their arrival.
    private func startable(_ state: inout State) -> [Waiter] {
        let loadsOfHost = limits.loadsOfHost
        var ready: [Waiter] = []
        while true {
            let next = state.hosts.lazy.filter { $0.value.loading < loadsOfHost }
                .compactMap { name, host in
                    host.waiters.first.map { (name: name, first: $0, loading: host.loading) }
                }
                .min { ($0.loading, $0.first.number) < ($1.loading, $1.first.number) }
            guard let (name, waiter, _) = next,
                // More than all bytes are granted to one request alone.
                state.bytes == 0 || waiter.bytes <= limits.bytes - state.bytes
            else { return ready }
            state.hosts[name]?.waiters.removeFirst()
            state.hosts[name]?.loading += 1
            state.bytes += waiter.bytes
            ready.append(waiter)
        }
    }

    private func giveBack(_ bytes: Int, isLoading: Bool, isOver: Bool, of host: String) {
        let ready = state.withLock { state in
            state.bytes -= bytes
            if isLoading { state.hosts[host]?.loading -= 1 }
            if isOver { Self.giveBackPlace(of: host, &state) }
            return startable(&state)
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// A request that loads, or has loaded, its sources.
    final class Loading: Sendable {
        private let admission: Admission
        private let host: String
        /// The bytes that the request holds, and whether it still loads.
        private let held: Mutex<(bytes: Int, isLoading: Bool)>

        fileprivate init(of admission: Admission, _ host: String, _ bytes: Int) {
            self.admission = admission
            self.host = host
            held = Mutex((bytes, true))
        }

        /// Reports that the sources are loaded, with their sizes in bytes.
        func loaded(_ sizes: Int...) {
            let limit = admission.limits.bytesOfSource
            hold(sizes.reduce(0) { $0 + min(max(0, $1), limit) }, isOver: false)
        }

        fileprivate func end() { hold(0, isOver: true) }

        private func hold(_ bytes: Int, isOver: Bool) {
            let before = held.withLock { held in
                defer { held = (bytes, false) }
                return held
            }
            admission.giveBack(
                before.bytes - bytes,
                isLoading: before.isLoading,
                isOver: isOver,
                of: host
            )
        }
    }
}
