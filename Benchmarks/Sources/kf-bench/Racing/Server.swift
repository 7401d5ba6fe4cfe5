import Foundation
import Synchronization

/// The other end of a ``Peer``: executes orders from standard input and answers with times.
///
/// We are measured like our peers: in a separate process.
enum Server {
    static func serve() throws {
        while let order = readLine() {
            let fields = order.split(separator: " ", maxSplits: 3).map(String.init)
            guard fields.count == 4, let repetitions = Int(fields[1]), let threads = Int(fields[2])
            else { throw BenchmarkError("'\(order)' is not a command") }
            guard let benchmark = Benchmarks.all.first(where: { $0.work == fields[0] }) else {
                print("skip: unknown")
                fflush(nil)
                continue
            }
            let data = try Data(contentsOf: URL(fileURLWithPath: fields[3]))
            let work = try benchmark.prepare(data)
            print(try measure(work, repetitions: repetitions, threads: threads).answer)
            fflush(nil)
        }
    }

    private static func measure(
        _ work: @escaping Benchmark.Work,
        repetitions: Int,
        threads: Int
    ) throws -> Sample {
        let failure = Mutex<(any Error)?>(nil)
        let size = Atomic(0)
        let peakBefore = ProcessMemory.peak
        let watch = Stopwatch()
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            do {
                for _ in 0..<repetitions { size.store(try work(), ordering: .relaxed) }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        let (wall, cpu) = (watch.wall, watch.cpu)
        if let error = failure.withLock({ $0 }) { throw error }
        let count = Double(repetitions * threads)
        return Sample(
            wall: wall * 1000 / count,
            cpu: cpu * 1000 / count,
            bytes: size.load(ordering: .relaxed),
            peak: ProcessMemory.peak,
            peakBefore: peakBefore
        )
    }
}
