import Foundation
import Synchronization

/// Changes of a shared storage that are sent in the background, in order for each name.
///
/// Bounded: entries are dropped while too many bytes wait, or while the storage is paused. Removals
/// are kept until the storage accepts them, so that an image that was removed does not come back.
final class SharedWrites: Sendable {
    enum Operation: Sendable {
        case store(SharedStorageItem)
        case removal(Removal)
        case release(String, token: String)
    }

    struct Removal: Sendable {
        let name: String
        let entry: CacheEntryName
        /// Called once, after the first attempt.
        var completion: (@Sendable () -> Void)?
    }

    fileprivate struct State {
        var operations = FIFO<Operation>()
        /// Removals that the storage did not accept, for another attempt.
        var retained = FIFO<Operation>()
        var byteCount = 0
        /// The number of begun or pending removals of each name.
        var removals: [ByteText: Int] = [:]
        var isSending = false
        /// Resumes the sending of retained removals.
        var retry: RepeatingTimer?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The maximum number of pending operations.
    static let capacity = 10_000
    /// The maximum number of operations in a batch.
    static let batchSize = 64
    /// The maximum number of bytes in a request, unless a single value is larger.
    static let batchBytes = 4 << 20

    private let gateway: SharedGateway
    private let settings: SharedStorageSettings
    private let clock: WallClock
    private let counts: SharedCounts
    private let message: @Sendable ([CacheEntryName]) -> Data?
    private let state = Mutex(State())

    /// Makes an idle queue.
    ///
    /// - Parameters:
    ///   - gateway: Sends the requests.
    ///   - settings: Limits the pending bytes.
    ///   - clock: Determines when removals are repeated.
    ///   - counts: Counts stored and dropped entries.
    ///   - message: The message to other machines about removed entries; nil if it is too large, or
    ///     cannot be encrypted.
    init(
        _ gateway: SharedGateway,
        settings: SharedStorageSettings,
        clock: WallClock,
        counts: SharedCounts,
        message: @escaping @Sendable ([CacheEntryName]) -> Data?
    ) {
        self.gateway = gateway
        self.settings = settings
        self.clock = clock
        self.counts = counts
        self.message = message
    }

    /// The bytes that wait to be sent.
    var byteCount: Int { state.withLock { $0.byteCount } }

    // MARK: Queueing

    /// Queues a value; drops it if there is no room or the storage is paused.
    func store(_ item: SharedStorageItem) {
        let isPaused = gateway.isPaused
        let isQueued = state.withLock { state in
            let free = settings.pendingBytes.subtractingReportingOverflow(state.byteCount)
            guard !isPaused, !free.overflow, item.value.count <= free.partialValue,
                state.operations.count < Self.capacity
            else { return false }
            state.byteCount += item.value.count
            state.operations.append(.store(item))
            return true
        }
        if isQueued { start() } else { counts.change { $0.droppedStores += 1 } }
    }

    /// Makes lookups of a name miss from now on; ``remove(_:_:then:)`` must follow.
    func beginRemoval(of name: String) {
        state.withLock { $0.removals[ByteText(name), default: 0] += 1 }
    }

    /// Queues a removal that has begun.
    ///
    /// - Parameters:
    ///   - name: The name of the value.
    ///   - entry: The entry.
    ///   - completion: Called when the value is gone, or could not be removed at first.
    func remove(
        _ name: String,
        _ entry: CacheEntryName,
        then completion: (@Sendable () -> Void)? = nil
    ) {
        let isQueued = state.withLock { state in
            guard state.operations.count + state.retained.count < Self.capacity else {
                state.endRemoval(of: name)
                return false
            }
            let removal = Removal(name: name, entry: entry, completion: completion)
            state.operations.append(.removal(removal))
            return true
        }
        guard !isQueued else { return start() }
        completion?()
        counts.change { $0.droppedRemovals += 1 }
        guard counts.current.droppedRemovals == 1 else { return }
        let text = "Images are not removed from the shared storage, which is too far behind."
        Log.warning(text, key: entry.computedKey)
    }

    /// Whether a removal of a name has begun or is pending.
    func isRemoving(_ name: String) -> Bool {
        state.withLock { $0.removals[ByteText(name)] != nil }
    }

    /// Queues the release of a lease; without room the lease ends by itself.
    func release(_ name: String, token: String) {
        let isQueued = state.withLock { state in
            guard state.operations.count < Self.capacity else { return false }
            state.operations.append(.release(name, token: token))
            return true
        }
        if isQueued { start() }
    }

    /// Returns when the changes queued so far have been sent, dropped, or retained.
    func flush() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isSending { state.waiters.append(continuation) }
                return !state.isSending
            }
            if isIdle { continuation.resume() }
        }
    }

    // MARK: Sending

    private func start() {
        let starts = state.withLock { state in
            guard !state.isSending else { return false }
            state.isSending = true
            return true
        }
        if starts { Task { await send() } }
    }

    private func send() async {
        while let batch = state.withLock({ $0.nextBatch() }) {
            await remove(batch.removals)
            await store(batch.stores)
            await release(batch.releases)
        }
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func remove(_ removals: [Removal]) async {
        guard !removals.isEmpty else { return }
        let names = removals.map(\.name)
        let (messages, unannounced) = messages(about: removals.map(\.entry)[...])
        let reply = await gateway.ask { storage in
            try await storage.remove(names)
            try await withThrowingTaskGroup { group in
                for message in messages { group.addTask { try await storage.publish(message) } }
                try await group.waitForAll()
            }
        }
        if reply.value == nil { retain(removals) }
        for removal in removals { removal.completion?() }
        guard reply.value != nil else { return }
        state.withLock { state in for name in names { state.endRemoval(of: name) } }
        guard let first = unannounced.first else { return }
        let count = unannounced.count
        counts.change { $0.droppedRemovals += count }
        let text = "Other machines were not told of \(count) removed entries, such as this."
        Log.warning(text, key: first.computedKey)
    }

    /// The messages about removed entries, no more than their size limit requires, and the entries
    /// about which there can be none.
    private func messages(
        about entries: ArraySlice<CacheEntryName>
    ) -> ([Data], unannounced: [CacheEntryName]) {
        if let message = message(Array(entries)) { return ([message], []) }
        guard entries.count > 1 else { return ([], Array(entries)) }
        let half = entries.count / 2
        let (first, second) = (
            messages(about: entries.prefix(half)), messages(about: entries.dropFirst(half))
        )
        return (first.0 + second.0, first.unannounced + second.unannounced)
    }

    /// Keeps removals for another attempt.
    ///
    /// A newer entry of the name may be stored before, and is then removed too: it is missing, but
    /// nothing is wrong.
    private func retain(_ removals: [Removal]) {
        let timer = clock.every(settings.pause.inBoundedSeconds) { [weak self] in self?.retry() }
        let old = state.withLock { state in
            for var removal in removals {
                removal.completion = nil
                state.retained.append(.removal(removal))
            }
            defer { state.retry = timer }
            return state.retry
        }
        // Released here, outside the lock.
        withExtendedLifetime(old) {}
    }

    private func retry() {
        let timer = state.withLock { state in
            defer { state.retry = nil }
            return state.retry
        }
        // Released here, outside the lock.
        withExtendedLifetime(timer) {}
        start()
    }

    private func store(_ items: [SharedStorageItem]) async {
        guard !items.isEmpty else { return }
        let reply = await gateway.ask { try await $0.store(items) }
        let size = items.reduce(0) { $0 + $1.value.count }
        state.withLock { $0.byteCount -= size }
        let isStored = reply.value != nil
        counts.change {
            $0.stores += isStored ? items.count : 0
            $0.droppedStores += isStored ? 0 : items.count
        }
    }

    private func release(_ leases: [(name: String, token: String)]) async {
        guard !leases.isEmpty else { return }
        _ = await gateway.ask { storage in
            try await withThrowingTaskGroup { group in
                for (name, token) in leases {
                    group.addTask { try await storage.releaseLease(of: name, token: token) }
                }
                try await group.waitForAll()
            }
        }
    }
}

extension SharedWrites.Operation {
    /// The name whose value changes; a batch changes a value only once.
    fileprivate var name: String? {
        switch self {
        case .store(let item): item.name
        case .removal(let removal): removal.name
        case .release: nil
        }
    }

    fileprivate var size: Int {
        if case .store(let item) = self { item.value.count } else { 0 }
    }
}

extension SharedWrites.State {
    /// Operations that may be sent in any order, except that leases are released last.
    struct Batch {
        var stores: [SharedStorageItem] = []
        var removals: [SharedWrites.Removal] = []
        var releases: [(name: String, token: String)] = []

        var isEmpty: Bool { stores.isEmpty && removals.isEmpty && releases.isEmpty }

        /// Takes operations from the front of a queue while they fit into one batch.
        init(from queue: inout FIFO<SharedWrites.Operation>) {
            var names: Set<ByteText> = []
            var size = 0
            while names.count + releases.count < SharedWrites.batchSize, let next = queue.first {
                guard next.name.map({ names.insert(ByteText($0)).inserted }) ?? true,
                    size == 0 || next.size <= SharedWrites.batchBytes - size
                else { break }
                size += next.size
                add(next)
                _ = queue.popFirst()
            }
        }

        private mutating func add(_ operation: SharedWrites.Operation) {
            switch operation {
            case .store(let item): stores.append(item)
            case .removal(let removal): removals.append(removal)
            case .release(let name, let token): releases.append((name, token))
            }
        }
    }

    fileprivate mutating func endRemoval(of name: String) {
        let name = ByteText(name)
        let count = removals[name, default: 0]
        removals[name] = count > 1 ? count - 1 : nil
    }

    /// The next operations to send; nil if there are none, and sending ends.
    fileprivate mutating func nextBatch() -> Batch? {
        let isRetrying = retry == nil && !retained.isEmpty
        let batch = isRetrying ? Batch(from: &retained) : Batch(from: &operations)
        isSending = !batch.isEmpty
        return isSending ? batch : nil
    }
}
