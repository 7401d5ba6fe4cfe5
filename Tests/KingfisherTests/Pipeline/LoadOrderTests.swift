import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// Many loads at once end one after the other, not all at the end.
@Suite(.timeLimit(.minutes(1)))
struct LoadOrderTests {
    private static let count = 64

    @Test func `of many loads the first is stored before the last is processed`() async throws {
        let bench = try TestBench()
        let processor = Waiting(Self.count)
        let manager = bench.manager
        try await withThrowingTaskGroup { group in
            for index in 0..<Self.count {
                let data = TestImage.jpeg(width: 16 + index, height: 12)
                let provider = RawImageDataProvider(data: data, cacheKey: "\(index)")
                group.addTask {
                    _ = try await manager.retrieveImage(
                        with: .provider(provider),
                        options: [.processor(processor), .waitForCache]
                    )
                    processor.first.signal()
                }
            }
            try await group.waitForAll()
        }
        #expect(processor.wasStored.value == true)
    }

    // Where they are shared, no load of a backlog ends before all of it is decoded. Other tests would
    // change the order of the ends, so `Scripts/bench.sh order` measures it.
    @Test func `threads that compute are not those on which loads end`() throws {
        let bench = try TestBench()
        #expect(ImageMaker.pool.threads == .utility)
        #expect(bench.cache.reader.threads == .userInitiated)
        #expect(WorkPool(label: "disk", width: 1).threads == .userInitiated)
    }

    /// Its last call waits for the end of the first load.
    private final class Waiting: ImageProcessor {
        let identifier = "waiting"
        let first = DispatchSemaphore(value: 0)
        /// Whether a load had ended before the last call; nil before that.
        let wasStored = Locked<Bool?>(nil)
        private let left: Atomic<Int>

        init(_ count: Int) { left = Atomic(count) }

        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            if left.subtract(1, ordering: .relaxed).newValue == 0 {
                let hasEnded = first.wait(timeout: .now() + 20) == .success
                wasStored.change { $0 = hasEnded }
            }
            return DefaultImageProcessor.default.process(item: item, options: options)
        }
    }
}
