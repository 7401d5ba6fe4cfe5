import Dispatch
import Foundation
import Glibc
import Kingfisher
import Synchronization

/// Evicting two million values that are alive, the wait of another thread meanwhile, and the limit
/// while eight threads read.
enum EvictionExperiment {
    static let experiment = Experiment(
        name: "eviction",
        title: "evicting 2,000,000 values from memory whose objects are alive"
    ) { _ in
        let ways: [(name: String, evict: (Storage) -> Void)] = [
            ("a lower limit", { $0.config.totalCostLimit = 1_000 * cost }),
            (
                "a large value",
                { $0.store(value: Item(cacheCost: (count - 1_000) * cost), forKey: "large") }
            ),
        ]
        var lines: [String] = []
        for way in ways {
            let filled = Filled()
            guard filled.storage.statistics.count == count else {
                throw BenchmarkError("the storage does not hold all values")
            }
            let waits = Waits(of: filled.storage)
            let watch = Stopwatch()
            way.evict(filled.storage)
            let (seconds, cpu) = (watch.wall, watch.threadCPU)
            let (lookup, change) = waits.longest()
            guard filled.storage.totalCacheCost() <= count * cost else {
                throw BenchmarkError("the limit is exceeded")
            }
            lines += [
                Verdict("\(way.name), seconds", seconds, atMost: 2).line,
                String(format: "  %@, CPU seconds of its thread: %.2f", way.name, cpu),
                Verdict("\(way.name), longest lookup meanwhile, ms", lookup, atMost: 1).line,
                Verdict("\(way.name), longest change meanwhile, ms", change, atMost: 1).line,
            ]
        }
        lines.append(Verdict("stores above the limit, 8 readers", excesses(), atMost: 0).line)
        return lines
    }

    private typealias Storage = MemoryStorage.Backend<Item>

    private static let count = 2_000_000
    /// A cache holds at most one value for each 512 bytes of its limit.
    private static let cost = 512

    private static func key(_ number: Int) -> String { "https://images.example.com/\(number).jpg" }

    /// A full storage, and its values.
    private struct Filled {
        let storage = Storage(config: MemoryStorage.Config(totalCostLimit: count * cost))
        private let values = (0..<count).map { _ in Item(cacheCost: cost) }

        init() {
            for (number, value) in values.enumerated() {
                storage.store(value: value, forKey: key(number), expiration: .never)
            }
        }
    }

    /// The longest lookup and the longest change of another thread, in milliseconds.
    private final class Waits: Sendable {
        private let isOver = Atomic(false)
        private let result = Mutex((lookup: 0.0, change: 0.0))
        private let ended = DispatchSemaphore(value: 0)

        init(of storage: Storage) {
            Thread.detachNewThread { [self] in
                var longest = (lookup: 0.0, change: 0.0)
                while !isOver.load(ordering: .relaxed) {
                    Self.measure(&longest.lookup) { _ = storage.value(forKey: key(count - 1)) }
                    Self.measure(&longest.change) { storage.remove(forKey: "missing") }
                    // A caller that never pauses would take half of a core from the eviction where
                    // two processors share one.
                    usleep(100)
                }
                result.withLock { [longest] in $0 = longest }
                ended.signal()
            }
        }

        func longest() -> (lookup: Double, change: Double) {
            isOver.store(true, ordering: .relaxed)
            ended.wait()
            return result.withLock { $0 }
        }

        private static func measure(_ longest: inout Double, _ call: () -> Void) {
            let delay = runQueueDelay
            let watch = Stopwatch()
            call()
            let milliseconds = watch.wall * 1e3
            // Waiting for a processor is not waiting for the storage.
            longest = max(longest, milliseconds - (runQueueDelay - delay))
        }

        /// The time for which this thread was ready to run and had no processor, in milliseconds.
        private static var runQueueDelay: Double {
            let file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return 0 }
            defer { close(file) }
            var text = [UInt8](repeating: 0, count: 64)
            let count = read(file, &text, text.count)
            let fields = text.prefix(max(count, 0)).split(separator: UInt8(ascii: " "))
            guard fields.count == 3 else { return 0 }
            return (Double(String(decoding: fields[1], as: UTF8.self)) ?? 0) / 1e6
        }
    }

    private final class Over: Sendable {
        let value = Atomic(false)
    }

    /// The number of 2,000 stores that leave more than two values, while eight threads read forty
    /// keys.
    private static func excesses() -> Double {
        var config = MemoryStorage.Config(totalCostLimit: 1_000)
        config.countLimit = 2
        let storage = Storage(config: config)
        let isOver = Over()
        var excesses = 0
        let readers = DispatchGroup()
        for _ in 0..<8 {
            readers.enter()
            Thread.detachNewThread {
                while !isOver.value.load(ordering: .relaxed) {
                    for number in 0..<40 { _ = storage.value(forKey: key(number)) }
                }
                readers.leave()
            }
        }
        for number in 0..<2_000 {
            storage.store(value: Item(cacheCost: 1), forKey: key(number % 40))
            if storage.statistics.count > 2 { excesses += 1 }
        }
        isOver.value.store(true, ordering: .relaxed)
        readers.wait()
        return Double(excesses)
    }
}
