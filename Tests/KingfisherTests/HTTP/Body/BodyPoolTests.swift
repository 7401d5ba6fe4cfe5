import Foundation
import KingfisherTesting
import SystemPackage
import Testing

@testable import Kingfisher

struct BodyPoolTests {
    private let time = ManualClock()
    private let pool: BodyPool

    init() {
        pool = BodyPool(maxIdleBytes: 4 << 20, clock: time.clock)
    }

    private func body(_ bytes: Int, of byte: UInt8, expected: Int? = nil) throws -> BodyBuffer {
        var body = BodyBuffer(threshold: 8 << 20, pool: pool)
        body.expect(expected ?? bytes)
        let piece = Data(repeating: byte, count: 60_000)
        while body.count < bytes {
            try body.append(piece.prefix(bytes - body.count).bytes)
        }
        return body
    }

    @Test func `the next body gets the memory of the one before`() throws {
        for byte: UInt8 in 1...5 {
            let body = try body(1_000_000, of: byte)
            #expect(try body.data() == Data(repeating: byte, count: 1_000_000))
        }
        #expect(pool.mappedCount == 1)
        #expect(pool.idleBytes >= 1_000_000)
    }

    @Test func `bytes that were given away keep their memory`() throws {
        var first = try body(1_000_000, of: 1)
        let kept = try first.finish()
        first = try body(1_000_000, of: 2)
        #expect(pool.mappedCount == 2)
        #expect(kept == Data(repeating: 1, count: 1_000_000))
        #expect(pool.idleBytes == 0)
    }

    @Test func `a change of received bytes affects its caller only`() throws {
        var body = try body(500_000, of: 1)
        var mine = try body.finish()
        let other = try body.data()
        mine[0] = 9
        #expect(mine.first == 9)
        #expect(other.first == 1)
        #expect(body.copy().first == 1)
    }

    @Test func `a copy of the buffer goes its own way`() throws {
        var one = try body(300_000, of: 1, expected: 400_000)
        var two = one
        try one.append(Data([2]).bytes)
        try two.append(Data([3]).bytes)
        #expect(try one.data().last == 2)
        #expect(try two.data().last == 3)
        #expect(one.copy(from: 299_999) == Data([1, 2]))
    }

    @Test(arguments: [0, 200_000, 1_000_000])
    func `more than was announced finds room`(expected: Int) throws {
        let body = try body(3_000_000, of: 7, expected: expected)
        #expect(try body.data() == Data(repeating: 7, count: 3_000_000))
        #expect(!body.isInFile)
    }

    @Test func `memory above the bound is returned to the kernel after two seconds`() throws {
        do {
            let bodies = try (0..<6).map { try body(1_500_000, of: $0) }
            withExtendedLifetime(bodies) {}
        }
        for _ in 0..<2 { time.advance(by: 1) }
        #expect(pool.idleBytes > 0)
        #expect(pool.idleBytes <= 4 << 20)
        #expect(time.timerIntervals.isEmpty)
    }

    @Test func `bodies that begin when all others have ended get their memory`() throws {
        for wave: UInt8 in 1...5 {
            let bodies = try (0..<6).map { _ in try body(1_500_000, of: wave) }
            #expect(try bodies[5].data() == Data(repeating: wave, count: 1_500_000))
            time.advance(by: 0.9)
        }
        #expect(pool.mappedCount == 6)
    }

    @Test func `no more than was in use at once is there`() throws {
        let size = 1_572_864
        var running = try (0..<4).map { try body(1_500_000, of: $0) }
        do {
            let ended = try (4..<8).map { try body(1_500_000, of: $0) }
            withExtendedLifetime(ended) {}
        }
        #expect(pool.idleBytes == 4 * size)
        #expect(try running[3].data() == Data(repeating: 3, count: 1_500_000))
        running = []
        #expect(pool.idleBytes == 8 * size)
    }

    @Test func `a peak is forgotten while fewer bodies come and go`() throws {
        do {
            let bodies = try (0..<8).map { try body(1_500_000, of: $0) }
            withExtendedLifetime(bodies) {}
        }
        for byte: UInt8 in 0..<3 {
            _ = try body(1_500_000, of: byte)
            time.advance(by: 1)
        }
        #expect(pool.idleBytes <= 4 << 20)
        #expect(pool.mappedCount == 8)
    }

    @Test func `memory that is in use has no timer`() throws {
        let kept = try body(3_000_000, of: 1).data()
        do {
            let bodies = try (0..<6).map { try body(1_500_000, of: $0) }
            withExtendedLifetime(bodies) {}
        }
        for _ in 0..<2 { time.advance(by: 1) }
        #expect(time.timerIntervals.isEmpty)
        #expect(pool.idleBytes <= 4 << 20)
        #expect(kept == Data(repeating: 1, count: 3_000_000))
    }

    @Test func `few bytes start no timer`() throws {
        _ = try body(3_000_000, of: 1)
        #expect(pool.idleBytes > 0)
        #expect(time.timerIntervals.isEmpty)
    }

    @Test(arguments: [2 << 20, 3_000_000, 8 << 20])
    func `a large body lies where a huge page can be`(bytes: Int) throws {
        let block = try #require(pool.take(bytes))
        #expect(UInt(bitPattern: block.prefix(1).baseAddress) % (2 << 20) == 0)
        let first = Data(repeating: 1, count: bytes)
        #expect(first.withUnsafeBytes { block.append($0, behind: 0) })
        #expect(block.data(bytes) == first)
    }

    @Test func `a small body is the allocator's`() throws {
        _ = try body(10_000, of: 1)
        #expect(pool.mappedCount == 0)
    }

    @Test func `a mapped body can be changed by its owner`() throws {
        var body = BodyBuffer(threshold: 10)
        try body.append(Data(repeating: 7, count: 100_000).bytes)
        var mine = try body.finish()
        mine[50_000] = 1
        #expect(mine[50_000] == 1)
        #expect(try body.data() == Data(repeating: 7, count: 100_000))
    }
}
