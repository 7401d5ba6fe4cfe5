import Foundation
import Synchronization

/// Bodies that take turns: each runs a number of operations, round after round.
struct Lanes {
    /// One of those that are compared.
    struct Lane {
        let name: String
        /// Runs `count` operations as thread number `thread`.
        let body: @Sendable (_ thread: Int, _ count: Int) -> Void
    }

    /// Nanoseconds per operation, of the fastest round.
    struct Result {
        let name: String
        /// By the wall's clock; with n threads, n operations count.
        let wall: Double
        /// By the processor's clock, all threads together.
        let cpu: Double
    }

    static func run(
        _ lanes: [Lane],
        rounds: Int,
        threads: Int = 1,
        operations: Int
    ) -> [Result] {
        var walls = [Double](repeating: .infinity, count: lanes.count)
        var cpus = walls
        for round in 0...rounds {
            for (index, lane) in lanes.enumerated() {
                let watch = Stopwatch()
                if threads == 1 {
                    lane.body(0, operations)
                } else {
                    DispatchQueue.concurrentPerform(iterations: threads) {
                        lane.body($0, operations)
                    }
                }
                // The first round warms up.
                guard round > 0 else { continue }
                let share = 1e9 / Double(operations * threads)
                walls[index] = min(walls[index], watch.wall * share)
                cpus[index] = min(cpus[index], watch.cpu * share)
            }
        }
        return lanes.indices.map {
            Result(name: lanes[$0].name, wall: walls[$0], cpu: cpus[$0])
        }
    }
}
