import Chance
import Foundation
import Kingfisher
import Synchronization

/// Reads and stores of 20 KB, compared with the reference design and plain system calls.
enum DiskExperiment {
    static let experiment = Experiment(
        name: "disk",
        title: "microseconds per read, store over an entry and store of a new one, 20 KB each"
    ) { folder in
        try PlainFiles.withFolder(in: folder) { try run(in: $0) }
    }

    private static let count = 1000

    private static func run(in folder: URL) throws -> [String] {
        let ours = try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(name: "ours", sizeLimit: 0, directory: folder)
        )
        var random = Random(seed: 2)
        let data = Data((0..<20_000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        let contents = Contents(data)
        let keys = (0..<count).map { "https://images.example.com/photos/\($0).jpg" }
        // Provides the same file names in another folder; nothing else of it is used.
        let layout = try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(name: "theirs", sizeLimit: 0, directory: folder)
        )
        let theirs = PlainFiles.Foundations { layout.cacheFileURL(forKey: $0) }
        let plain = keys.indices.map { folder.path + "/posix-\($0)" }

        let stores = Lanes.run(
            [
                lane("Kingfisher") { try ours.store(value: contents.next(), forKey: keys[$0]) },
                lane("baseline") { try theirs.store(contents.next(), for: keys[$0]) },
                lane("POSIX") { try PlainFiles.POSIX.store(contents.next(), at: plain[$0]) },
            ],
            rounds: 9,
            operations: count
        )
        let firsts = Lanes.run(
            [
                newLane("Kingfisher") {
                    try ours.store(
                        value: contents.next(),
                        forKey: "https://images.example.com/new/\($0)"
                    )
                },
                newLane("POSIX") {
                    try PlainFiles.POSIX.store(contents.next(), at: "\(folder.path)/new-\($0)")
                },
            ],
            rounds: 5,
            operations: count
        )
        let reads = Lanes.run(
            [
                lane("Kingfisher") { try require(ours.value(forKey: keys[$0]), data) },
                lane("baseline") { try require(theirs.read(keys[$0]), data) },
                lane("POSIX") {
                    try require(PlainFiles.POSIX.read(plain[$0], size: data.count), data)
                },
            ],
            rounds: 9,
            operations: count
        )
        return table("store", stores) + table("new", firsts) + table("read", reads) + [
            Verdict("read, CPU: baseline / ours", reads[1].cpu / reads[0].cpu, atLeast: 5).line,
            Verdict("store, CPU: ours / POSIX", stores[0].cpu / stores[2].cpu, atMost: 1).line,
            Verdict("new entry, CPU: ours / POSIX", firsts[0].cpu / firsts[1].cpu, atMost: 1).line,
            Verdict("store, CPU: ours / baseline", stores[0].cpu / stores[1].cpu, atMost: 1).line,
        ]
    }

    private static func require(_ found: Data?, _ wanted: Data) throws {
        guard found?.count == wanted.count else { throw BenchmarkError("an entry is missing") }
    }

    private static func lane(
        _ name: String,
        _ body: @escaping @Sendable (Int) throws -> Void
    ) -> Lanes.Lane {
        Lanes.Lane(name: name) { _, count in
            do {
                for index in 0..<count { try body(index) }
                PlainFiles.Foundations.settle()
            } catch {
                fatalError("\(name): \(error)")
            }
        }
    }

    /// A lane whose body receives a new number in each call.
    private static func newLane(
        _ name: String,
        _ body: @escaping @Sendable (Int) throws -> Void
    ) -> Lanes.Lane {
        let next = Mutex(0)
        return lane(name) { _ in
            let number = next.withLock { next in
                next += 1
                return next
            }
            try body(number)
        }
    }

    private static func table(_ what: String, _ results: [Lanes.Result]) -> [String] {
        results.map {
            what.padding(toLength: 6, withPad: " ", startingAt: 0)
                + $0.name.padding(toLength: 12, withPad: " ", startingAt: 0)
                + String(format: "%8.1f µs CPU %8.1f µs wall", $0.cpu / 1000, $0.wall / 1000)
        }
    }
}

/// Bytes that differ in each call: a cache stores equal ones once.
final class Contents: Sendable {
    private let base: Data
    private let last = Atomic<UInt64>(0)

    init(_ base: Data) { self.base = base }

    func next() -> Data {
        let number = last.add(1, ordering: .relaxed).newValue
        var data = base
        withUnsafeBytes(of: number) { data.replaceSubrange(0..<8, with: $0) }
        return data
    }
}
