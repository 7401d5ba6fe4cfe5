import Foundation
import Synchronization

/// Changes of a disk store that are made in the background, in order for each name.
///
/// Pending bytes can be read. Of several pending stores of one name only the last sound one is
/// written.
final class DiskWriteQueue: Sendable {
    typealias Completion = @Sendable (Result<Void, DiskError>) -> Void

    /// The pending state of an entry.
    enum Pending: Sendable {
        case bytes(Bytes, EntryMetadata?, KeyDivision)
        case removal(DiskAbsence?)
    }

    fileprivate enum Later: Sendable {
        case operation(Operation, name: ByteText)
        case barrier(removesAll: Bool, @Sendable () -> Void)
    }

    fileprivate struct State {
        /// The operations of each name, including the running one.
        var lines: [ByteText: [Operation]] = [:]
        /// How many operations at the head of a line are done, while their completions are called.
        var done: [ByteText: Int] = [:]
        /// The operations queued after an unfinished barrier, including the barrier.
        var later: [Later] = []
        var isAlone = false
        var byteCount = 0
        /// The changes of each name.
        var versions = NameCounts()
    }

    let store: DiskStore
    private let pool: WorkPool
    private let capacity: Int
    private let state = Mutex(State())
    /// The threads on which any queue makes a change or calls a completion.
    private static let threads = Mutex<Set<pthread_t>>([])

    /// Makes an idle queue.
    ///
    /// - Parameters:
    ///   - store: The store to change.
    ///   - capacity: The maximum number of pending bytes; 256 MiB takes a slow disk ten seconds.
    ///   - width: How many files are written at the same time.
    init(store: DiskStore, capacity: Int = 256 << 20, width: Int = 2) {
        self.store = store
        pool = WorkPool(label: "com.onevcat.Kingfisher.DiskWriteQueue", width: width)
        self.capacity = capacity
    }

    /// The bytes that wait to be written.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// The pending change of a name as seen by readers.
    func pending(_ name: String) -> Pending? {
        let waiting = state.withLock { $0.operations(on: ByteText(name)) }
            .filter { $0.description == nil }
        // Nil while the entry on disk counts, if there is one.
        var last: Operation?
        for operation in waiting {
            // A store that does not replace takes effect only if there is no entry.
            if operation.replaces || (last?.removes ?? !store.ask(name).isThere) {
                last = operation
            }
        }
        switch last?.change {
        case .store(let bytes, _, let division, _, _, let metadata):
            return .bytes(bytes, metadata, division)
        case .removal: return .removal(nil)
        case .absence(let absence): return .removal(absence)
        case .description, nil: return nil
        }
    }

    /// The metadata that waits to be written for bytes on disk; nil if none does.
    func pendingMetadata(of name: String, checksum: UInt64) -> EntryMetadata? {
        let waiting = state.withLock { $0.operations(on: ByteText(name)) }
        return waiting.compactMap(\.description).last { $0.checksum == checksum }
    }

    /// A number that changes when a store or removal of the name is queued, and rarely otherwise.
    func version(of name: String) -> UInt32 {
        state.withLock { $0.versions[ByteText(name)] }
    }

    // MARK: Queueing

    /// Queues a store without waiting for anything.
    ///
    /// The completion is called on a thread of the queue, or at once if there is nothing to store
    /// or no room. Bounds memory use: stores can arrive faster than the disk writes. Bytes larger
    /// than the capacity are admitted when nothing else waits.
    ///
    /// With a version, there is nothing to store if the name was changed since: bytes that were
    /// looked for elsewhere meanwhile must neither replace newer ones nor undo a removal.
    func enqueueStore(
        _ bytes: Bytes,
        named name: String,
        key: String,
        division: KeyDivision,
        expiration: StorageExpiration,
        replacing: Bool = true,
        metadata: EntryMetadata? = nil,
        ifUnchangedSince version: UInt32? = nil,
        completion: @escaping Completion
    ) {
        // It has no effect, and must not prevent an earlier one from being written.
        if expiration.isAlreadyExpired(at: store.clock.now()) { return completion(.success(())) }
        let waiting = byteCount
        guard waiting == 0 || bytes.count <= capacity - waiting else {
            return completion(.failure(.queueIsFull(key: key, waiting: waiting)))
        }
        let change = Operation.Change.store(
            bytes,
            key: key,
            division: division,
            expiration: expiration,
            replacing: replacing,
            metadata: metadata
        )
        enqueue(change, on: name, ifUnchangedSince: version, completion: completion)
    }

    /// Queues a change without bytes.
    func enqueue(
        _ change: Operation.Change,
        on name: String,
        ifUnchangedSince version: UInt32? = nil,
        completion: @escaping Completion
    ) {
        let operation = Operation(change: change, completion: completion)
        let name = ByteText(name)
        switch append(operation, name: name, ifUnchangedSince: version) {
        case true?: pool.submit { self.work(on: name) }
        case false?: break
        case nil: completion(.success(()))
        }
    }

    /// Queues the removal of all entries.
    ///
    /// Bytes that were looked for elsewhere before it are not stored after it.
    func enqueueRemovalOfAll(completion: @escaping Completion) {
        enqueueAlone(removesAll: true) { [store] in
            completion(Result { () throws(DiskError) in try store.removeAll() })
        }
    }

    /// Queues work that runs alone: after everything queued before it, and before everything queued
    /// later.
    ///
    /// - Parameters:
    ///   - removesAll: Whether it removes every entry, as readers see from now on.
    ///   - work: The work.
    func enqueueAlone(removesAll: Bool = false, _ work: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            if removesAll { state.versions.addToAll() }
            state.later.append(.barrier(removesAll: removesAll, work))
            return state.lines.isEmpty && state.later.count == 1
        }
        if isFirst { pool.submit { self.workAlone() } }
    }

    /// - Returns: Whether the operation is the first of its line, so that the caller must start the
    ///   line; nil if it was not appended, because the name was changed since the version.
    private func append(
        _ operation: Operation,
        name: ByteText,
        ifUnchangedSince version: UInt32? = nil
    ) -> Bool? {
        state.withLock { state in
            if let version, version != state.versions[name] { return nil }
            if operation.description == nil { state.versions[name] &+= 1 }
            state.byteCount += operation.byteCount
            if state.later.isEmpty { return state.add(operation, name: name) }
            state.later.append(.operation(operation, name: name))
            return false
        }
    }

    // MARK: Waiting

    /// Whether this thread makes a change or calls a completion.
    private static var isWorking: Bool { threads.withLock { $0.contains(pthread_self()) } }

    /// Makes a change after those of the same name before it, and returns when it is done.
    ///
    /// A change of a name without a line is made on this thread. Within completions and serializers,
    /// those of other queues included, it is made immediately: two that change the entry of the other
    /// would wait forever. They must not wait for a task that makes such a change.
    func perform(_ change: Operation.Change, on name: String) throws(DiskError) {
        if Self.isWorking {
            state.withLock { $0.versions[ByteText(name)] &+= 1 }
            return try make(change, name: name).get()
        }
        try waiting { done in
            let line = ByteText(name)
            let isFirst = append(Operation(change: change, completion: done), name: line)
            if isFirst == true { work(on: line, endsAfterFirst: true) }
        }
    }

    /// Removes all entries alone, and returns when they are removed.
    func removeAll() throws(DiskError) {
        if Self.isWorking {
            state.withLock { $0.versions.addToAll() }
            return try store.removeAll()
        }
        try waiting { done in enqueueRemovalOfAll(completion: done) }
    }

    /// Returns when the completion was called.
    private func waiting(for start: (@escaping Completion) -> Void) throws(DiskError) {
        let result = Mutex<Result<Void, DiskError>>(.success(()))
        let isMade = DispatchSemaphore(value: 0)
        start { made in
            result.withLock { $0 = made }
            isMade.signal()
        }
        isMade.wait()
        try result.withLock { $0 }.get()
    }

    // MARK: Working

    private func work(on name: ByteText, endsAfterFirst: Bool = false) {
        working { workInOrder(on: name, endsAfterFirst: endsAfterFirst) }
    }

    /// Makes changes and calls completions on this thread; both may run code of a user, which may
    /// change entries again.
    private func working(_ body: () -> Void) {
        let isOutermost = Self.threads.withLock { $0.insert(pthread_self()).inserted }
        body()
        if isOutermost { Self.threads.withLock { _ = $0.remove(pthread_self()) } }
    }

    private func workInOrder(on name: ByteText, endsAfterFirst: Bool) {
        while true {
            let operations = state.withLock { $0.next(name) }
            if operations.isEmpty { return }
            let results = make(operations, name: name.string)
            // Marked as done before the completions are called: they may read the entry.
            state.withLock { $0.done[name] = operations.count }
            // Called before the line ends, so that barriers also wait for the completions.
            for (operation, result) in zip(operations, results) { operation.completion(result) }
            // The completions of users are released after the lock.
            let rest = withExtendedLifetime(operations) {
                state.withLock { $0.end(operations.count, name: name) }
            }
            switch rest {
            case .more:
                guard endsAfterFirst else { continue }
                pool.submit { self.work(on: name) }
                return
            // The next operation of the name starts a line with a worker of its own.
            case .lineEnded: return
            case .allEnded:
                guard endsAfterFirst else { return workAlone() }
                // A barrier must not run in a caller that waits for one change.
                if state.withLock({ !$0.later.isEmpty }) { pool.submit { self.workAlone() } }
                return
            }
        }
    }

    /// Makes the last change that does not fail because of its own bytes; it decides for those
    /// before it.
    private func make(_ operations: [Operation], name: String) -> [Result<Void, DiskError>] {
        var results: [Result<Void, DiskError>] = []
        var decision: Result<Void, DiskError>?
        for operation in operations.reversed() {
            let result = decision ?? make(operation.change, name: name)
            results.append(result)
            if case .failure(let error) = result, error.concernsBytes { continue }
            decision = result
        }
        return results.reversed()
    }

    private func make(_ change: Operation.Change, name: String) -> Result<Void, DiskError> {
        do throws(DiskError) {
            switch change {
            case .store(
                let bytes,
                let key,
                let division,
                let expiration,
                let replacing,
                let metadata
            ):
                guard let data = bytes.data else { throw DiskError.nothingToWrite(key: key) }
                try store.store(
                    data,
                    named: name,
                    key: key,
                    division: division,
                    expiration: expiration,
                    replacing: replacing,
                    metadata: metadata
                )
            case .removal:
                try store.remove(name)
            case .absence(let absence):
                try store.remove(name, noting: absence)
            case .description(let metadata):
                try store.describe(name, by: metadata)
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Runs the next barrier once all lines are idle, then admits the operations queued after it.
    private func workAlone() {
        while let work = state.withLock({ $0.claimBarrier() }) {
            working(work)
            let names = state.withLock { $0.admit() }
            for name in names { pool.submit { self.work(on: name) } }
        }
    }
}

extension DiskWriteQueue.State {
    /// Appends to the line of a name; returns whether the line has to be started.
    fileprivate mutating func add(_ operation: DiskWriteQueue.Operation, name: ByteText) -> Bool {
        lines[name, default: []].append(operation)
        return lines[name]?.count == 1
    }

    /// The pending and running operations of a name, in order.
    fileprivate func operations(on name: ByteText) -> [DiskWriteQueue.Operation] {
        guard lines[name] != nil || !later.isEmpty else { return [] }
        var all = Array((lines[name] ?? []).dropFirst(done[name] ?? 0))
        for next in later {
            switch next {
            case .operation(let operation, let other): if other == name { all.append(operation) }
            case .barrier(removesAll: true, _): all.append(.removal)
            case .barrier: break
            }
        }
        return all
    }

    /// The operations to perform as one: a store, with the earlier ones that it makes unnecessary.
    fileprivate func next(_ name: ByteText) -> [DiskWriteQueue.Operation] {
        let line = lines[name] ?? []
        let stores = line.prefix { if case .store = $0.change { $0.replaces } else { false } }
        return Array(stores.isEmpty ? line.prefix(1) : stores)
    }

    /// The remaining work after some operations of a line.
    fileprivate enum Rest {
        case more
        case lineEnded
        /// That was the last line.
        case allEnded
    }

    /// Removes finished operations from a line.
    fileprivate mutating func end(_ count: Int, name: ByteText) -> Rest {
        let finished = lines[name]?.prefix(count) ?? []
        byteCount -= finished.reduce(0) { $0 + $1.byteCount }
        lines[name]?.removeFirst(count)
        done[name] = nil
        guard lines[name]?.isEmpty == true else { return .more }
        lines[name] = nil
        return lines.isEmpty ? .allEnded : .lineEnded
    }

    /// The next barrier, returned to one caller only, if all lines are idle.
    fileprivate mutating func claimBarrier() -> (@Sendable () -> Void)? {
        guard !isAlone, lines.isEmpty, case .barrier(_, let work) = later.first else { return nil }
        isAlone = true
        return work
    }

    /// Drops the finished barrier and admits the operations up to the next; returns new lines.
    fileprivate mutating func admit() -> [ByteText] {
        later.removeFirst()
        isAlone = false
        var started: [ByteText] = []
        while case .operation(let operation, let name) = later.first {
            later.removeFirst()
            if add(operation, name: name) { started.append(name) }
        }
        return started
    }
}
