import Foundation
import Synchronization

/// The entries on disk that loads wait for, each read once for all of them.
final class StoredBatches: Sendable {
    /// Names the bytes of an entry.
    struct Key: Hashable, Sendable {
        let cache: ObjectIdentifier
        let entry: CacheEntryName
        /// Another one once the entry was stored or removed.
        let mark: UInt32
    }

    /// No member wants the image any more.
    struct Unwanted: Error {}

    /// How many entries are read and decoded at once, so that files do not gather in memory while
    /// they wait for the byte budget: two for each core.
    let turns = ByteBudget(limit: 2 * ProcessInfo.processInfo.activeProcessorCount)
    /// The last of each entry, which later loads may join.
    private let open = Mutex<[Key: StoredBatch]>([:])

    init() {}

    /// Makes an image of an entry's bytes, which are read and decoded together with other sizes of it.
    ///
    /// - Parameters:
    ///   - key: Names the bytes.
    ///   - options: With the processor that is given the bytes.
    ///   - processing: Where the work is done.
    ///   - isWanted: Asked before the bytes are read.
    ///   - read: Reads them; gets the highest priority of those who wait.
    /// - Returns: The bytes, and the image or the processor's error; nil when there are no bytes.
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

/// One reading of an entry for the loads that wait for it at the time.
///
/// It waits for its turn, which it keeps until the last load has its image. A load that comes after
/// the turn has begun joins if its image is made already or being made. Otherwise it starts another
/// batch, so that a popular entry does not block the others.
final class StoredBatch: Sendable {
    /// What became of the bytes for one load.
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

    /// Counts a load in; false if it comes too late for its image.
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

    /// Counts a load out; true for the last one.
    func leave() -> Bool {
        state.withLock { state in
            state.members -= 1
            return state.members == 0
        }
    }

    /// Lets everything go, when the last load has left.
    func end() {
        graph.forget()
        reading.forget()
        giveBackTurn()
    }

    /// The bytes, when it is their turn; nil when there are none.
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
                // Failures are not kept: the next who asks takes another turn.
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

    /// The image of one load.
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
