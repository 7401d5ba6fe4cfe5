import Foundation

/// The seeds of a test with random inputs, one per round.
///
/// In the environment, `KF_FUZZ_ROUNDS` sets the number of rounds, `KF_FUZZ_SECONDS` a duration
/// after which no more are made than that, and `KF_FUZZ_SEED` the first seed, 1 by default. Tests
/// whose rounds never suspend should yield in each, so that others run beside them.
package struct FuzzSeeds: Sequence, IteratorProtocol {
    private var seed: UInt64
    private var rounds: Int
    private var end: ContinuousClock.Instant?

    /// Creates the seeds for `rounds` rounds, unless the environment sets another number.
    package init(usually rounds: Int) {
        let environment = ProcessInfo.processInfo.environment
        seed = environment["KF_FUZZ_SEED"].flatMap(UInt64.init) ?? 1
        self.rounds = environment["KF_FUZZ_ROUNDS"].flatMap(Int.init) ?? rounds
        if let seconds = environment["KF_FUZZ_SECONDS"].flatMap(Int.init) {
            end = ContinuousClock.now + .seconds(seconds)
        }
    }

    package mutating func next() -> UInt64? {
        let isInTime = end.map { ContinuousClock.now < $0 } ?? false
        guard rounds > 0 || isInTime else { return nil }
        rounds -= 1
        defer { seed &+= 1 }
        return seed
    }
}
