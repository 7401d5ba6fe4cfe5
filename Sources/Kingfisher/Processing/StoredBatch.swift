import Foundation
import Synchronization

/// The cache files that loads wait for; each is read once for all of them.
final class StoredBatches: Sendable {
    /// Identifies the bytes of a cache entry.
    struct Key: Hashable, Sendable {
        let cache: ObjectIdentifier
        let entry: CacheEntryName
        /// Changes whenever the entry is stored or removed.
        let mark: UInt32
    }

    /// Thrown if no load of the batch needs the image any more.
    struct Unwanted: Error {}

    /// Limits how many entries are read and decoded at once to two per core, so that files do not
    /// accumulate in memory while they wait for the byte budget.
    let turns = ByteBudget(limit: 2 * ProcessInfo.processInfo.activeProcessorCount)
    /// The latest batch of each entry, which later loads may join.
    private let open = Mutex<[Key: StoredBatch]>([:])

    init() {}

    /// Makes an image from the bytes of an entry, sharing the read and the decode with other loads.
    ///
    /// - Parameters:
    ///   - key: Identifies the bytes.
    ///   - options: Contain the processor that receives the bytes.
    ///   - processing: Runs the work.
    ///   - isWanted: Called before the bytes are read; whether the load is still needed.
    ///   - read: Reads the bytes; receives the highest priority of the waiting loads.
    /// - Returns: The bytes with the image or the processor's error; nil if there are no bytes.
    /// - Throws: ``Unwanted``, `CancellationError`.
    func image(
        of key: Key,
        options: KingfisherParsedOptionsInfo,
        on processing: ProcessingJobs,
        isWanted: @escaping @Sendable () -> Bool,
        read: @escaping @Sendable (Float) async throws -> DiskContents?
    ) async throws -> StoredBatch.Outcome? {
        let batch = open.withLock { open in
            if let batch = open[key], batch.enter(options, isWanted) { return batch }
            let batch = StoredBatch(turns)
            _ = batch.enter(options, isWanted)
            open[key] = batch
            return batch
        }
        defer {
            let isOver = open.withLock { open in
                guard batch.leave() else { return false }
                if open[key] === batch { open[key] = nil }
                return true
            }
            if isOver { batch.end() }
        }
        let urgency = Urgency(options.downloadPriority)
        guard let contents = try await batch.contents(urgency, read) else { return nil }
        return await batch.outcome(of: contents, options, processing)
    }
}

/// One read of an entry, for the loads that wait for it at that time.
///
/// A batch starts once a slot is free and keeps the slot until the last load has its image. A load
/// that arrives after the start joins the batch if its image is already made or in progress.
/// Otherwise it starts another batch, so that a popular entry does not block other entries.
final class StoredBatch: Sendable {
    /// The result for one load.
    struct Outcome: Sendable {
        let contents: DiskContents
        let image: Result<KFCrossPlatformImage, any Error>

        init(
            _ contents: DiskContents,
            _ make: () async throws -> KFCrossPlatformImage
        ) async {
            self.contents = contents
            do {
                image = .success(try await make())
            } catch {
                image = .failure(error)
            }
        }
    }

    private struct State {
        var members = 0
        var hasTurn = false
        var isClosed = false
        var keys: Set<JobGraph.Key> = []
        var wishes: [DecodeWish] = []
        var isWanted: [@Sendable () -> Bool] = []
    }

    private let state = Mutex(State())
    private let reading = KeptJobs<Int, DiskContents?>()
    private let graph = JobGraph()
    private let turns: ByteBudget

    init(_ turns: ByteBudget) { self.turns = turns }

    /// Adds a load; false if the batch has started without its image.
    func enter(
        _ options: KingfisherParsedOptionsInfo,
        _ isWanted: @escaping @Sendable () -> Bool
    ) -> Bool {
        let key = JobGraph.Key(options)
        let wish = DecodeWish(options)
        return state.withLock { state in
            guard !state.isClosed || state.keys.contains(key) else { return false }
            state.members += 1
            state.isWanted.append(isWanted)
            if state.keys.insert(key).inserted, let wish { state.wishes.append(wish) }
            return true
        }
    }

    /// Removes a load; true if it was the last one.
    func leave() -> Bool {
        state.withLock { state in
            state.members -= 1
            return state.members == 0
        }
    }

    /// Releases everything after the last load has left.
    func end() {
        graph.forget()
        reading.forget()
        giveBackTurn()
    }

    /// Waits for a slot and reads the bytes; nil if there are none.
    func contents(
        _ urgency: Urgency,
        _ read: @escaping @Sendable (Float) async throws -> DiskContents?
    ) async throws -> DiskContents? {
        try await reading.value(for: 0, urgency: urgency) { [self] urgency in
            try await turns.take(1)
            let isOver = state.withLock { state in
                state.hasTurn = state.members > 0
                return !state.hasTurn
            }
            guard !isOver else {
                turns.giveBack(1)
                throw CancellationError()
            }
            do {
                let (wishes, isWanted) = state.withLock { state in
                    state.isClosed = true
                    return (state.wishes, state.isWanted)
                }
                guard isWanted.contains(where: { $0() }) else { throw StoredBatches.Unwanted() }
                graph.plan(wishes)
                return try await read(urgency.priority)
            } catch {
                // Failures are not kept: the next caller waits for a slot again.
                giveBackTurn()
                throw error
            }
        }
    }

    private func giveBackTurn() {
        let hadTurn = state.withLock { state in
            defer { state.hasTurn = false }
            return state.hasTurn
        }
        if hadTurn { turns.giveBack(1) }
    }

    /// Makes the image of one load.
    func outcome(
        of contents: DiskContents,
        _ options: KingfisherParsedOptionsInfo,
        _ processing: ProcessingJobs
    ) async -> Outcome {
        await Outcome(contents) {
            try await graph.image(of: contents.data, options: options, on: processing)
        }
    }
}
