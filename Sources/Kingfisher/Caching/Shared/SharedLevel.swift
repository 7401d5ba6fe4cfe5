import Foundation
import Synchronization

/// The outcome of a lookup in a shared storage.
enum SharedFinding: Sendable {
    /// Nil if the entry is on this machine's disk by now.
    case hit(SharedHit?)
    case miss
    /// The storage is paused, failed, or took too long.
    case unavailable
}

/// An entry that was found in a shared storage, and waits to be written to this machine's disk.
final class SharedHit: Sendable {
    /// The entry itself: the disk may be full, or have no room for pending bytes.
    let contents: DiskContents
    /// Seconds since the reference date.
    fileprivate let expiry: TimeInterval
    /// The version of the entry in memory before the storage was asked.
    let version: UInt32
    /// Bounds the entries in memory until they are decoded.
    private let permit: SharedLevel.Permit

    fileprivate init(
        _ contents: DiskContents,
        until expiry: TimeInterval,
        version: UInt32,
        permit: SharedLevel.Permit
    ) {
        self.contents = contents
        self.expiry = expiry
        self.version = version
        self.permit = permit
    }
}

/// The statistics of a shared storage.
final class SharedCounts: Sendable {
    private let counts = Mutex(SharedStorageStatistics())

    init() {}

    var current: SharedStorageStatistics { counts.withLock { $0 } }

    func change(_ change: (inout SharedStorageStatistics) -> Void) {
        counts.withLock { change(&$0) }
    }
}

/// The level of a cache that it shares with other machines.
///
/// An entry that is found is stored on this machine's disk, where it is pending at once, so that
/// loads and HTTP caching treat it like any other. An entry that this level does not have is looked
/// for in the next one, and sent from there to this one. Each level has its own time-outs, pauses
/// and pending bytes; leases and messages use the first alone.
final class SharedLevel: Sendable {
    /// A place among the entries that may be in memory at once.
    final class Permit: Sendable {
        private let permits: ByteBudget

        /// - Throws: `CancellationError` while it waits.
        init(of permits: ByteBudget) async throws {
            self.permits = permits
            try await permits.take(1)
        }

        deinit { permits.giveBack(1) }
    }

    private let gateway: SharedGateway
    private let settings: SharedStorageSettings
    private let memory: MemoryStore
    private let disk: DiskStorage.Backend<Data>
    private let removals: Removals
    private let counts: SharedCounts
    private let reads: SharedReads
    private let writes: SharedWrites
    private let leases: SharedLeases
    private let fetches = JobTable<CacheEntryName, SharedFinding>()
    private let permits = ByteBudget(limit: 64)
    private let sender: String
    private let next: SharedLevel?
    private let listening = Mutex<Task<Void, Never>?>(nil)

    init(
        _ storage: any SharedImageStorage,
        settings: SharedStorageSettings,
        memory: MemoryStore,
        disk: DiskStorage.Backend<Data>,
        removals: Removals,
        then next: SharedLevel? = nil
    ) {
        self.settings = settings
        self.next = next
        self.memory = memory
        self.disk = disk
        self.removals = removals
        let clock = disk.store.clock
        let (counts, sender) = (SharedCounts(), SharedMessage.makeSender())
        gateway = SharedGateway(storage, settings: settings, clock: clock)
        reads = SharedReads(gateway)
        let writer = settings.writeTimeout.map { timeout in
            var settings = settings
            settings.timeout = timeout
            // Its pauses are its own: writes that succeed must not hide that lookups fail.
            return SharedGateway(storage, settings: settings, clock: clock)
        }
        writes = SharedWrites(
            writer ?? gateway,
            settings: settings,
            clock: clock,
            counts: counts
        ) {
            SharedMessage(sender: sender, removed: $0).encoded(by: disk.transformer)
        }
        leases = SharedLeases(
            gateway,
            settings: settings,
            clock: clock,
            counts: counts,
            writes: writes
        )
        self.counts = counts
        self.sender = sender
    }

    deinit { listening.withLock { $0?.cancel() } }

    var storage: any SharedImageStorage { gateway.storage }

    /// Whether no level is asked now.
    var isPaused: Bool { gateway.isPaused && next?.isPaused ?? true }

    /// The statistics of this level and the next ones.
    var statistics: [SharedStorageStatistics] {
        var statistics = counts.current
        statistics.isPaused = gateway.isPaused
        return [statistics] + (next?.statistics ?? [])
    }

    /// Returns when pending changes have been sent, or could not be sent.
    func flush() async {
        // Entries that the next level had may be pending here.
        await next?.flush()
        await writes.flush()
    }

    // MARK: Looking up

    /// Looks for an entry, and queues it to be stored on disk.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - checksDisk: Whether the disk is consulted again, because another load may have stored
    ///     the entry since; false if the entry on disk turned out to be unusable.
    ///   - asksNext: Whether the next levels are asked too.
    /// - Returns: The entry; without one, the outcome of this level.
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func find(
        _ entry: CacheEntryName,
        checksDisk: Bool = true,
        asksNext: Bool = true
    ) async throws -> SharedFinding {
        try await fetches.value(for: entry) { [self] in
            // Read before the disk is asked: any later store or removal is newer.
            let stored = disk.queue.version(of: disk.fileName(of: entry))
            let version = memory.version(of: entry.memoryKey)
            // In the job, so that no other job can have stored it between the two checks.
            if checksDisk, disk.ask(entry).isThere { return .hit(nil) }
            let permit = try await Permit(of: permits)
            let finding = await fetch(entry, permit, since: version, stored)
            counts.change {
                switch finding {
                case .hit(let hit): $0.hits += hit == nil ? 0 : 1
                case .miss: $0.misses += 1
                case .unavailable: $0.unavailable += 1
                }
            }
            guard let next, asksNext else { return finding }
            if case .hit = finding { return finding }
            guard case .hit(let hit) = try await next.find(entry, checksDisk: checksDisk) else {
                return finding
            }
            if let hit { send(hit.contents, of: entry, until: hit.expiry) }
            return .hit(hit)
        }
    }

    /// Asks the storage, with the versions of the entry in memory and on disk from before.
    private func fetch(
        _ entry: CacheEntryName,
        _ permit: Permit,
        since version: UInt32,
        _ stored: UInt32
    ) async -> SharedFinding {
        let name = entry.sharedName
        guard !writes.isRemoving(name) else { return .miss }
        switch await reads.value(of: name) {
        case .missing: return .miss
        case .unavailable: return .unavailable
        case .value(let bytes):
            guard let value = value(of: bytes, name: name) else {
                counts.change { $0.damaged += 1 }
                return .miss
            }
            guard value.expiry > disk.store.clock.now() else { return .miss }
            // Stored or removed meanwhile.
            guard version == memory.version(of: entry.memoryKey), !writes.isRemoving(name) else {
                return disk.ask(entry).isThere ? .hit(nil) : .miss
            }
            let contents = DiskContents(data: value.data, metadata: metadata(of: value, entry))
            keep(contents, of: entry, until: value.expiry, since: stored)
            return .hit(SharedHit(contents, until: value.expiry, version: version, permit: permit))
        }
    }

    private func value(of bytes: Data, name: String) -> SharedValue? {
        let overhead = SharedValue.maximalOverhead + SharedLevel.sealOverhead
        guard bytes.count - overhead <= settings.largestEntry else { return nil }
        guard let transformer = disk.transformer else { return SharedValue(bytes, name: name) }
        return (try? transformer.open(bytes, name: name)).flatMap { SharedValue($0, name: name) }
    }

    private func metadata(of value: SharedValue, _ entry: CacheEntryName) -> EntryMetadata? {
        disk.record(from: value.metadata, of: entry).map {
            EntryMetadata($0, encoded: value.metadata)
        }
    }

    /// Queues an entry for this machine's disk, unless it was stored or removed there meanwhile.
    private func keep(
        _ contents: DiskContents,
        of entry: CacheEntryName,
        until expiry: TimeInterval,
        since version: UInt32
    ) {
        let own = disk.config.expiration
        let ownExpiry = own.expiry(from: disk.store.clock.now())
        let end = Date(timeIntervalSinceReferenceDate: expiry)
        disk.enqueue(
            .ready(contents.data),
            as: entry,
            expiration: expiry < ownExpiry ? .date(end) : own,
            metadata: contents.metadata,
            ifUnchangedSince: version
        ) { result in
            guard case .failure(let error) = result else { return }
            let reason = error.kingfisherError.localizedDescription
            Log.debug("A shared entry was not stored on disk: \(reason)", key: entry.computedKey)
        }
    }

    // MARK: Working alone

    /// Claims the right to make the image of an entry; see ``SharedLeases``.
    func claim(_ entry: CacheEntryName) async throws -> SharedLeases.Claim {
        try await leases.claim(
            entry.sharedName,
            isStored: { [disk] in disk.ask(entry).isThere },
            // The machine with the lease sends the image to this level, too.
            find: { [self] in try await find(entry, asksNext: false) }
        )
    }

    // MARK: Changing

    /// The most bytes that a transformer may add to a value.
    private static let sealOverhead = 4_096

    /// Queues an entry to be sent to this level and the next ones.
    func store(
        _ data: Data,
        of entry: CacheEntryName,
        expiration: StorageExpiration?,
        metadata: EntryMetadata?
    ) {
        guard entry.isShareable else { return }
        let expiry = (expiration ?? disk.config.expiration).expiry(from: disk.store.clock.now())
        let contents = DiskContents(data: data, metadata: metadata)
        send(contents, of: entry, until: expiry)
        next?.store(data, of: entry, expiration: expiration, metadata: metadata)
    }

    /// Queues an entry to be sent to this level.
    private func send(
        _ contents: DiskContents,
        of entry: CacheEntryName,
        until expiry: TimeInterval
    ) {
        guard contents.data.count <= settings.largestEntry else {
            return counts.change { $0.oversized += 1 }
        }
        let now = disk.store.clock.now()
        guard expiry > now, !gateway.isPaused else { return }
        let name = entry.sharedName
        let metadata = contents.metadata?.bytes ?? Data()
        let value = SharedValue(data: contents.data, metadata: metadata, expiry: expiry)
        guard let encoded = value.encoded(for: name), let sealed = seal(encoded, name: name) else {
            return
        }
        let longest = settings.timeToLive.inBoundedSeconds
        let seconds = max(1, min(expiry - now, longest))
        writes.store(
            SharedStorageItem(name: name, value: sealed, timeToLive: .seconds(seconds))
        )
    }

    private func seal(_ value: Data, name: String) -> Data? {
        guard let transformer = disk.transformer else { return value }
        return try? transformer.seal(value, name: name)
    }

    /// Makes lookups of an entry miss; ``remove(_:)`` must follow.
    func beginRemoval(of entry: CacheEntryName) {
        writes.beginRemoval(of: entry.sharedName)
        next?.beginRemoval(of: entry)
    }

    /// Queues a removal that has begun, in all levels and on other machines.
    func remove(_ entry: CacheEntryName) { remove(entry, then: nil) }

    private func remove(_ entry: CacheEntryName, then completion: (@Sendable () -> Void)?) {
        let remove = { @Sendable [writes] in
            writes.remove(entry.sharedName, entry, then: completion)
        }
        // From the last level first: a machine that gets the message must find the entry nowhere.
        if let next { next.remove(entry, then: remove) } else { remove() }
    }

    // MARK: Removals of other machines

    /// Removes the entries that other machines remove, until this object is released.
    func listen() {
        let messages = storage.messages()
        let task = Task { [weak self] in
            for await message in messages { self?.receive(message) }
        }
        listening.withLock { $0 = task }
    }

    private func receive(_ bytes: Data) {
        guard let message = SharedMessage(bytes, by: disk.transformer), message.sender != sender
        else { return }
        for entry in message.entries {
            removals.note(entry.computedKey)
            let forget = { [self] in
                for key in entry.memoryKeys { memory.remove(key) }
            }
            forget()
            disk.queue.enqueue(.removal, on: disk.fileName(of: entry), completion: { _ in })
            forget()
            removals.note(entry.computedKey)
        }
        counts.change { $0.invalidations += message.entries.count }
    }
}

extension DiskStorage.Backend<Data> {
    /// Encrypts bytes that leave this process, if set.
    fileprivate var transformer: (any DiskDataTransformer)? { store.options.transformer }
}

extension CacheEntryName {
    /// The name in a shared storage: it contains no URL, and has the same length for all keys.
    var sharedName: String {
        let name = Self.digest("\(computedKey)\u{0}\(forcedExtension ?? "")")
        // A digest with `@` contains no zero byte, so it is no text of the line above.
        return division == .atFirst ? name : Self.digest("\(name)@\(division.offset)")
    }

    private static func digest(_ text: String) -> String {
        SHA256.hash(Data(text.utf8)).withUnsafeBytes(Hexadecimal.text)
    }

    /// Whether the key means the same image on every machine, which that of a file's path does not,
    /// and whether a message to other machines has room for it when it is removed.
    var isShareable: Bool {
        computedKey.utf8.count + (forcedExtension?.utf8.count ?? 0) <= SharedMessage.longestName
            && !computedKey.startsWithBytes(of: "file:")
            && !computedKey.startsWithBytes(of: URL.localFileCacheKeyPrefix)
    }
}
