import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ImageTestBenchTests {
    let bench: ImageTestBench
    let url: URL

    init() throws {
        bench = try ImageTestBench()
        url = try #require(URL(string: "https://example.test/a.png"))
        bench.transport.answer(url, with: .picture(.solid(.red)))
    }

    @Test func `a load is stored in both layers`() async throws {
        #expect(try await bench.load(url).cacheType == .none)
        #expect(try await bench.load(url).cacheType == .memory)
        bench.cache.clearMemoryCache()
        #expect(try await bench.load(url).cacheType == .disk)
        #expect(bench.transport.requests.count == 1)
    }

    @Test func `images expire when the clock says so`() async throws {
        try await bench.load(url)
        bench.clock.advance(by: 301)
        #expect(bench.cache.imageCachedType(forKey: url.absoluteString) == .disk)
        bench.clock.advance(by: 8 * 86_400)
        #expect(bench.cache.imageCachedType(forKey: url.absoluteString) == .none)
        #expect(try await bench.load(url).cacheType == .none)
    }

    @Test func `benches share nothing, and leave no files`() async throws {
        let other = try ImageTestBench()
        let folder = other.folder
        other.transport.answer(url, with: .picture(.solid(.blue)))
        try await other.load(url)
        #expect(!bench.cache.isCached(forKey: url.absoluteString))
        #expect(folder != bench.folder)
    }

    @Test func `timers are called when they are due, until they are released`() {
        let clock = ManualClock()
        let calls = Mutex(0)
        var timer: RepeatingTimer? = clock.clock.every(10) { calls.withLock { $0 += 1 } }
        clock.advance(by: 9)
        #expect(calls.withLock { $0 } == 0)
        clock.advance(by: 1)
        #expect(calls.withLock { $0 } == 1)
        #expect(timer != nil && clock.timerIntervals == [10])
        timer = nil
        clock.advance(by: 100)
        #expect(calls.withLock { $0 } == 1)
        #expect(clock.timerIntervals.isEmpty)
    }
}
