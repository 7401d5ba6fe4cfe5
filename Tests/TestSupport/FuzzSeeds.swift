import Foundation

/// The seeds of a test that makes its inputs at random, one for each round.
///
/// `KF_FUZZ_ROUNDS` in the environment says how many rounds there are, `KF_FUZZ_SECONDS` how long they
/// go on instead, and `KF_FUZZ_SEED` with which seed they begin, 1 unless set.
package struct FuzzSeeds: Sequence, IteratorProtocol {
    private var seed: UInt64
    private var rounds: Int
    private var end: ContinuousClock.Instant?

    /// Makes the seeds of a test that has so many rounds if the environment says nothing.
    package init(usually rounds: Int) {
        let environment = ProcessInfo.processInfo.environment
        seed = environment["KF_FUZZ_SEED"].flatMap(UInt64.init) ?? 1
        self.rounds = environment["KF_FUZZ_ROUNDS"].flatMap(Int.init) ?? rounds
        if let seconds = environment["KF_FUZZ_SECONDS"].flatMap(Int.init) {
            end = ContinuousClock.now + .seconds(seconds)
        }
    }

    package mutating func next() -> UInt64? {
        if let end {
            guard ContinuousClock.now < end else { return nil }
        } else {
            guard rounds > 0 else { return nil }
            rounds -= 1
        }
        defer { seed &+= 1 }
        return seed
    }
}
