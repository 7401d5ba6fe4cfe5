#if GTK
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

@Suite(.timeLimit(.minutes(1)))
struct ListPrefetchTests {
    // MARK: What is wanted

    @Test func `at first, the following items are prefetched, nearest first`() {
        #expect(ListPrefetch().move(to: 0...9, of: 100, ahead: 3) == [10, 11, 12])
    }

    @Test func `items ahead of the scroll direction are prefetched`() {
        let prefetch = ListPrefetch()
        _ = prefetch.move(to: 40...49, of: 100, ahead: 3)
        #expect(prefetch.move(to: 45...54, of: 100, ahead: 3) == [55, 56, 57])
        #expect(prefetch.move(to: 42...51, of: 100, ahead: 3) == [41, 40, 39])
    }

    @Test func `nothing changes while the list stands still`() {
        let prefetch = ListPrefetch()
        _ = prefetch.move(to: 40...49, of: 100, ahead: 3)
        #expect(prefetch.move(to: 40...49, of: 100, ahead: 3) == nil)
    }

    @Test func `nothing is wanted of a list that jumps further than it shows`() {
        let prefetch = ListPrefetch()
        _ = prefetch.move(to: 0...9, of: 100, ahead: 3)
        #expect(prefetch.move(to: 50...59, of: 100, ahead: 3) == [])
    }

    @Test(arguments: [Int.min, -1, 0, 20])
    func `any number of items ahead is bounded by the list`(count: Int) {
        let prefetch = ListPrefetch()
        let after = Array(6..<max(6, count))
        #expect(prefetch.move(to: 2...5, of: count, ahead: .max) == after)
        #expect(prefetch.move(to: 1...4, of: count, ahead: .max) == (count > 0 ? [0] : []))
    }

    @Test func `prefetching ends with the list`() {
        let prefetch = ListPrefetch()
        #expect(prefetch.move(to: 90...98, of: 100, ahead: 3) == [99])
        #expect(prefetch.move(to: 91...99, of: 100, ahead: 3) == [])
        _ = prefetch.move(to: 5...14, of: 100, ahead: 3)
        #expect(prefetch.move(to: 5...15, of: 16, ahead: 3) == [])
        #expect(prefetch.move(to: 2...11, of: 100, ahead: 3) == [1, 0])
        // The model has shrunk since.
        #expect(prefetch.move(to: 3...12, of: 5, ahead: 3) == [])
        _ = prefetch.move(to: 40...49, of: 100, ahead: 3)
        #expect(prefetch.move(to: 39...48, of: 38, ahead: 3) == [37, 36, 35])
        #expect(prefetch.move(to: 38...47, of: 0, ahead: 3) == [])
    }

    // MARK: Loading it

    @Test func `prefetched items are in memory and requested once`() async throws {
        let bench = try TestBench()
        bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
        let prefetch = ListPrefetch()
        scroll(prefetch, to: 0...4, bench)
        await bench.server.received(3)
        scroll(prefetch, to: 1...5, bench)
        await bench.server.received(4)
        let key = bench.server.url("/8").absoluteString
        while bench.cache.retrieveImageInMemoryCache(forKey: key) == nil { await Task.yield() }
        #expect(paths(bench) == ["/5", "/6", "/7", "/8"])
    }

    @Test func `textures of prefetched images wait until these are neither ahead nor visible`()
        async throws
    {
        let bench = try TestBench()
        bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
        let prefetch = ListPrefetch()
        scroll(prefetch, to: 0...4, bench)
        while prefetch.textureCount < 3 { await Task.yield() }
        scroll(prefetch, to: 1...5, bench)
        while prefetch.textureCount < 4 { await Task.yield() }
        scroll(prefetch, to: 60...64, bench)
        #expect(prefetch.textureCount == 0)
        // From files, too.
        bench.cache.clearMemoryCache()
        let other = ListPrefetch()
        scroll(other, to: 0...4, bench)
        while other.textureCount < 3 { await Task.yield() }
        #expect(paths(bench) == ["/5", "/6", "/7", "/8"])
    }

    @Test func `a prefetched image that is evicted is found while it is ahead or visible`()
        async throws
    {
        let bench = try TestBench()
        bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
        let prefetch = ListPrefetch()
        scroll(prefetch, to: 0...4, bench)
        let keys = (5...7).map { bench.server.url("/\($0)").absoluteString }
        let isInMemory = { bench.cache.retrieveImageInMemoryCache(forKey: $0) != nil }
        while prefetch.textureCount < 3 || !keys.allSatisfy(isInMemory) { await Task.yield() }
        bench.cache.memoryStorage.config.totalCostLimit = 1
        #expect(keys.allSatisfy(isInMemory))
        scroll(prefetch, to: 60...64, bench)
        while keys.contains(where: isInMemory) { await Task.yield() }
    }

    @Test func `a change of direction cancels earlier prefetches`() async throws {
        let bench = try TestBench()
        let gate = ServerGate()
        bench.server.fallback { _ in .held(gate, then: .body(TestImage.png(), type: "image/png")) }
        let prefetch = ListPrefetch()
        scroll(prefetch, to: 20...24, bench)
        await bench.server.received(3)
        scroll(prefetch, to: 18...22, bench)
        await bench.server.abandoned(3)
        await bench.server.received(6)
        #expect(paths(bench) == ["/15", "/16", "/17", "/25", "/26", "/27"])
        gate.open()
    }

    @Test func `a jump stops everything`() async throws {
        let bench = try TestBench()
        let gate = ServerGate()
        bench.server.fallback { _ in .held(gate, then: .body(TestImage.png(), type: "image/png")) }
        let prefetch = ListPrefetch()
        scroll(prefetch, to: 0...4, bench)
        await bench.server.received(3)
        scroll(prefetch, to: 60...64, bench)
        await bench.server.abandoned(3)
        gate.open()
    }

    @Test func `an item that is on screen is not cancelled`() async throws {
        let bench = try TestBench()
        let gate = ServerGate()
        bench.server.fallback { _ in .held(gate, then: .body(TestImage.png(), type: "image/png")) }
        let prefetch = ListPrefetch()
        scroll(prefetch, to: 0...4, bench)
        await bench.server.received(3)
        scroll(prefetch, to: 3...7, bench)
        // Back again: 7 and those after it are out of sight, but 5 and 6 are on screen.
        await bench.server.received(6)
        scroll(prefetch, to: 2...6, bench)
        await bench.server.abandoned(4)
        gate.open()
        for number in 5...6 {
            let key = bench.server.url("/\(number)").absoluteString
            while bench.cache.retrieveImageInMemoryCache(forKey: key) == nil { await Task.yield() }
        }
    }

    @Test func `a list that goes stops its loads`() async throws {
        let bench = try TestBench()
        let gate = ServerGate()
        bench.server.fallback { _ in .held(gate, then: .status(404)) }
        do {
            let prefetch = ListPrefetch()
            scroll(prefetch, to: 0...4, bench)
            await bench.server.received(3)
        }
        await bench.server.abandoned(3)
        gate.open()
    }

    private func scroll(_ prefetch: ListPrefetch, to range: ClosedRange<Int>, _ bench: TestBench) {
        guard let wanted = prefetch.move(to: range, of: 100, ahead: 3) else { return }
        let deadlines = wanted.map { ($0, ImageInterest.Deadline.prefetch) }
        prefetch.load(
            deadlines,
            keeping: range,
            options: [],
            modifier: { TextureModifier(extending: $0, of: bench.manager) },
            by: bench.manager,
            source: { .network(bench.server.url("/\($0)")) }
        )
    }

    private func paths(_ bench: TestBench) -> [String] {
        bench.server.requests.map(\.path).sorted {
            $0.count == $1.count ? $0 < $1 : $0.count < $1.count
        }
    }
}

extension ListPrefetch {
    /// The number of textures that wait for their cells.
    fileprivate var textureCount: Int {
        modifiers.reduce(0) { $0 + (($1 as? TextureModifier)?.count ?? 0) }
    }
}
#endif
