import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Loads that wait for one file read and decode it once.
@Suite(.timeLimit(.minutes(1)))
struct EncodedImageTests {
    private let pool = WorkPool(label: "test", width: 1)
    private let maker: ImageMaker
    private let files = EncodedImages()
    private let reads = Locked(0)

    init() {
        maker = ImageMaker(pool: pool, budget: ByteBudget(limit: 1 << 30))
    }

    /// Starts to make an image with this side length; it is queued when this returns.
    private func begin(
        _ side: Int,
        data: Data? = TestImage.jpeg(width: 640, height: 480),
        isWanted: Bool = true,
        until gate: DispatchSemaphore? = nil
    ) -> Task<Int, any Error> {
        let size = CGSize(width: side, height: side)
        let request = DecodeRequest(
            KingfisherParsedOptionsInfo([.processor(DownsamplingImageProcessor(size: size))])
        )
        let entry = CacheEntryName(key: "a", options: KingfisherParsedOptionsInfo(nil))
        let file = files.image(for: EncodedImages.Key(entry: entry, version: 0)) { [reads] in
            reads.change { $0 += 1 }
            gate?.wait()
            return data.map { DiskContents(data: $0, metadata: nil) }
        }
        return Task.immediate { [maker] in
            try await file.image(request, by: maker, isWanted: { isWanted }).pixelWidth
        }
    }

    /// Lets the pool start only what is begun in `body` together.
    private func together<Value>(_ body: () -> Value) -> Value {
        let blocker = DispatchSemaphore(value: 0)
        pool.submit(priority: 1) { blocker.wait() }
        defer { blocker.signal() }
        return body()
    }

    @Test func `several sizes share a reading and a decode`() async throws {
        let tasks = together { (1...8).map { begin($0 * 8) } }
        for (index, task) in tasks.enumerated() {
            #expect(try await task.value == (index + 1) * 8)
        }
        #expect(reads.value == 1)
        #expect(maker.decodeCount == 1)
    }

    @Test func `a load that comes while the file is read shares it for every size`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let first = begin(8, until: gate)
        while reads.value < 1 { await Task.yield() }
        let same = begin(8)
        let other = begin(16)
        gate.signal()
        #expect(try await first.value == 8)
        #expect(try await same.value == 8)
        #expect(try await other.value == 16)
        #expect(reads.value == 1)
        #expect(maker.decodeCount == 1)
    }

    @Test func `loads that are cancelled while they wait leave the others their image`()
        async throws
    {
        let tasks = together {
            let tasks = (1...8).map { begin($0 * 8) }
            for task in tasks.dropLast() { task.cancel() }
            return tasks
        }
        for task in tasks.dropLast() {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await tasks[7].value == 64)
        #expect(reads.value == 1)
    }

    @Test func `when all are cancelled nothing is read`() async throws {
        let tasks = together {
            let tasks = (1...8).map { begin($0 * 8) }
            for task in tasks { task.cancel() }
            return tasks
        }
        for task in tasks {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try await begin(8).value == 8)
        #expect(reads.value == 1)
    }

    @Test func `an unwanted file is not read`() async throws {
        let tasks = together { (1...3).map { begin($0 * 8, isWanted: false) } }
        for task in tasks {
            await #expect(throws: EncodedImage.Unwanted.self) { try await task.value }
        }
        #expect(reads.value == 0)
    }

    @Test func `without a file there is no image`() async throws {
        await #expect(throws: EncodedImage.Missing.self) { try await begin(8, data: nil).value }
        #expect(reads.value == 1)
    }

    @Test func `a refusal is each load's own`() async throws {
        let tasks = together { (1...3).map { begin($0 * 8, data: Data("no picture".utf8)) } }
        for task in tasks {
            await #expect(throws: KingfisherError.self) { try await task.value }
        }
        #expect(reads.value == 1)
    }

    @Test func `a file is released with its last caller`() async throws {
        for _ in 0..<2 { #expect(try await begin(8).value == 8) }
        #expect(reads.value == 2)
    }

    @Test func `a load shares a running decode, and waits for nothing else`() async throws {
        let held = try await HeldDecodes()
        let file = EncodedImage()
        file.supply(TestImage.jpeg(width: 64, height: 48))
        let pause = DispatchSemaphore(value: 0)
        func begin(_ processor: any ImageProcessor) -> Task<Int, any Error> {
            let request = DecodeRequest(KingfisherParsedOptionsInfo([.processor(processor)]))
            return Task.immediate { try await file.image(request, by: held.maker).pixelWidth }
        }
        let slow = begin(DownsamplingImageProcessor(side: 16) |> Pausing(end: pause))
        let fast = begin(DownsamplingImageProcessor(side: 8))
        try await held.release()
        // Both need the bitmap that the first decodes; the second does not wait for its processor.
        #expect(try await fast.value == 8)
        pause.signal()
        #expect(try await slow.value == 16)
        #expect(held.maker.decodeCount == 1)
    }

    /// Only so many files are in memory as work can begin.
    @Test func `a storm of files holds a few at once`() async throws {
        let held = Locked((now: 0, peak: 0))
        let data = TestImage.jpeg(width: 64, height: 48)
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                let file = EncodedImage(
                    read: {
                        held.change {
                            $0.now += 1
                            $0.peak = max($0.peak, $0.now)
                        }
                        return DiskContents(data: data, metadata: nil)
                    },
                    ended: { held.change { $0.now -= 1 } }
                )
                group.addTask { [maker] in
                    let options = KingfisherParsedOptionsInfo(nil)
                    _ = try await file.image(DecodeRequest(options), by: maker)
                }
            }
            try await group.waitForAll()
        }
        #expect((1...20).contains(held.value.peak))
    }
}

/// A maker whose decodes wait, once they are planned, until they are released.
struct HeldDecodes {
    let maker: ImageMaker
    private let pool = WorkPool(label: "held", width: 2)
    private let budget = ByteBudget(limit: 1 << 20)
    private let blocker = DispatchSemaphore(value: 0)

    init() async throws {
        maker = ImageMaker(pool: pool, budget: budget)
        // One thread runs the loads, one after the other.
        pool.submit { [blocker] in blocker.wait() }
        try await budget.take(budget.limit)
    }

    /// Waits until each of the loads that have begun waits for a decode.
    func settled() async throws {
        try await Job<Void>.run(in: Lane(in: pool, priority: 0)) { _ in }
    }

    /// As above; then lets decodes begin, on both threads.
    func release() async throws {
        try await settled()
        blocker.signal()
        budget.giveBack(budget.limit)
    }
}

/// Passes the image on after a signal.
private struct Pausing: ImageProcessor {
    let identifier = "test.pausing"
    let end: DispatchSemaphore

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        end.wait()
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}

extension DownsamplingImageProcessor {
    fileprivate init(side: Int) { self.init(size: CGSize(width: side, height: side)) }
}
