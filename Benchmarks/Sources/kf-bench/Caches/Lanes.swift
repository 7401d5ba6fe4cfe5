import Foundation
import Synchronization

/// Runs alternating lanes: each performs a number of operations per round.
struct Lanes {
    /// One of the compared alternatives.
    struct Lane {
        let name: String
        /// Runs `count` operations on thread number `thread`.
        let body: @Sendable (_ thread: Int, _ count: Int) -> Void
    }

    /// Nanoseconds per operation in the fastest round.
    struct Result {
        let name: String
        /// Wall-clock time; with n threads, n operations count.
        let wall: Double
        /// CPU time of all threads.
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
