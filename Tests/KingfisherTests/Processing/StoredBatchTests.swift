import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Loads that wait for one entry on disk read and decode it once.
@Suite(.timeLimit(.minutes(1)))
struct StoredBatchTests {
    private let jobs = ProcessingJobs(budget: ByteBudget(limit: 1 << 30))
    private let cache = NSObject()
    private let reads = Locked(0)

    private var turns: ByteBudget { jobs.batches.turns }

    /// Starts to make an image with this side length; it is queued when this returns.
    private func begin(
        _ side: Int,
        data: Data? = TestImage.jpeg(width: 640, height: 480),
        isWanted: Bool = true,
        until gate: Gate? = nil
    ) -> Task<StoredBatch.Outcome?, any Error> {
        let size = CGSize(width: side, height: side)
        let options = KingfisherParsedOptionsInfo([
            .processor(DownsamplingImageProcessor(size: size))
        ])
        let key = StoredBatches.Key(
            cache: ObjectIdentifier(cache),
            entry: CacheEntryName(key: "a", options: KingfisherParsedOptionsInfo(nil)),
            mark: 0
        )
        return Task.immediate { [jobs, reads] in
            try await jobs.batches.image(
                of: key,
                options: options,
                on: jobs,
                isWanted: { isWanted },
                read: { _ in
                    reads.change { $0 += 1 }
                    await gate?.wait()
                    return data.map { DiskContents(data: $0, metadata: nil) }
                }
            )
        }
    }

    @Test func `several sizes share a reading and a decode`() async throws {
        try await turns.take(turns.limit)
        let tasks = (1...8).map { begin($0 * 8) }
        turns.giveBack(turns.limit)
        for (index, task) in tasks.enumerated() {
            let image = try await task.value?.image.get()
            #expect(image?.pixelWidth == (index + 1) * 8)
        }
        #expect(reads.value == 1)
        #expect(jobs.decodeCount == 1)
        #expect(turns.used == 0)
    }

    @Test func `a load that comes late joins for the same image, and not for another`() async throws
    {
        try await turns.take(turns.limit)
        let gate = Gate()
        let first = begin(8, until: gate)
        turns.giveBack(turns.limit)
        while reads.value < 1 { await Task.yield() }
        let same = begin(8)
        let other = begin(16)
        gate.open()
        #expect(try await first.value?.image.get().pixelWidth == 8)
        #expect(try await same.value?.image.get().pixelWidth == 8)
        #expect(try await other.value?.image.get().pixelWidth == 16)
        #expect(reads.value == 2)
        #expect(jobs.decodeCount == 2)
        #expect(turns.used == 0)
    }

    @Test func `loads that are cancelled while they wait leave the others their image`()
        async throws
    {
        try await turns.take(turns.limit)
        let tasks = (1...8).map { begin($0 * 8) }
        for task in tasks.dropLast() { task.cancel() }
        for task in tasks.dropLast() {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        turns.giveBack(turns.limit)
        #expect(try await tasks[7].value?.image.get().pixelWidth == 64)
        #expect(turns.used == 0)
    }

    @Test func `when all are cancelled nothing is read, and the turn goes to others`() async throws
    {
        try await turns.take(turns.limit)
        let tasks = (1...8).map { begin($0 * 8) }
        for task in tasks { task.cancel() }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        turns.giveBack(turns.limit)
        #expect(reads.value == 0)
        #expect(try await begin(8).value?.image.get().pixelWidth == 8)
        #expect(turns.used == 0)
    }

    @Test func `an unwanted entry is not read, and takes no turn`() async throws {
        try await turns.take(turns.limit)
        let tasks = (1...3).map { begin($0 * 8, isWanted: false) }
        turns.giveBack(turns.limit)
        for task in tasks {
            await #expect(throws: StoredBatches.Unwanted.self) { try await task.value }
        }
        #expect(reads.value == 0)
        #expect(turns.used == 0)
    }

    @Test func `an entry without bytes gives nothing, and keeps no turn`() async throws {
        let outcome = try await begin(8, data: nil).value
        #expect(outcome == nil)
        #expect(reads.value == 1)
        #expect(turns.used == 0)
    }

    @Test func `a refusal is each load's own, and keeps no turn`() async throws {
        try await turns.take(turns.limit)
        let tasks = (1...3).map { begin($0 * 8, data: Data("no picture".utf8)) }
        turns.giveBack(turns.limit)
        for task in tasks {
            let outcome = try #require(try await task.value)
            #expect(throws: KingfisherError.self) { try outcome.image.get() }
        }
        #expect(reads.value == 1)
        #expect(turns.used == 0)
    }
}
