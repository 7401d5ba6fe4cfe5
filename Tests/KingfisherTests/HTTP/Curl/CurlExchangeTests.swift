import Foundation
import Testing

@testable import Kingfisher

/// The time-outs of an exchange, and the pieces of its body that one round of the loop hands on.
struct CurlExchangeTests {
    @Test(
        arguments: [
            (.seconds(-1), 0), (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1),
            (.nanoseconds(1_000_001), 2), (.seconds(30 * 86_400 - 1), 2_591_999_000),
            (.seconds(30 * 86_400), 2_592_000_000), (.seconds(31 * 86_400), 2_592_000_000),
            (.seconds(Int64.max), 2_592_000_000),
        ] as [(Duration, Int)]
    )
    func `a time-out is whole milliseconds, at most 30 days`(time: Duration, milliseconds: Int) {
        #expect(time.milliseconds == milliseconds)
    }

    @Test func `of a round that is long already a transfer gets its first pieces`() {
        let round = CurlRound()
        while !round.isLong {}
        var share = CurlShare()
        let taken = (0..<9).map { _ in share.take(1, in: round) }
        #expect(taken == Array(repeating: true, count: 8) + [false])
    }

    @Test func `small pieces after the first of a round are gathered`() {
        let round = CurlRound()
        var pieces = CurlPieces()
        var handed: [Int] = []
        // Adds pieces, and returns which of them were the first to be gathered.
        func add(_ counts: Int...) -> [Bool] {
            counts.map { count in
                guard pieces.take(count, in: round) else { return false }
                return Data(count: count).withUnsafeBytes { bytes in
                    pieces.add(bytes) { handed.append($0.byteCount) }
                }
            }
        }
        let first = add(1, 2, 3)
        #expect(first == [false, true, false])
        #expect(handed == [1])
        let large = add(4_096)
        #expect(large == [false])
        #expect(handed == [1, 5, 4_096])
        #expect(!pieces.isGathering)
        let small = add(4_095, 4_095, 4_095, 4_095)
        #expect(small == [true, false, false, false])
        #expect(handed == [1, 5, 4_096])
        // 16 KiB are exceeded.
        let next = add(5)
        #expect(next == [true])
        #expect(handed == [1, 5, 4_096, 4 * 4_095])
    }
}
