import Chance
import Foundation
import Glibc
import Kingfisher

/// Whether the cost of a store and of a read depends on the number of entries, compared with plain
/// files.
///
/// Both alternate in small blocks. Each block of the cache is divided by the neighbouring block of
/// plain files, which eliminates the growing cost of the file system itself.
enum GrowthExperiment {
    static let experiment = Experiment(
        name: "growth",
        title: "CPU microseconds per store and read of 1 KB while a folder grows"
    ) { folder in
        let place = Place(orOnDisk: folder)
        let lines = try PlainFiles.withFolder(in: place.folder) { parent in
            let folders = try GrowingFolders(in: parent)
            for count in marks where count <= place.entries { try folders.grow(to: count) }
            return folders.report
        }
        return ["  in \(place.folder.path)"] + lines
    }

    /// The numbers of entries at which the costs are reported.
    private static let marks = [
        1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
    ]

    /// A folder with room for both, in memory if possible.
    ///
    /// On a disk, the kernel charges a writer for writing back earlier data, which costs up to
    /// twelve times as much as the store.
    private struct Place {
        let folder: URL
        let entries: Int

        init(orOnDisk folder: URL) {
            let memory = "/dev/shm"
            var space = statvfs()
            let isWritable = access(memory, W_OK) == 0 && statvfs(memory, &space) == 0
            let free = isWritable ? UInt64(space.f_bavail) * UInt64(space.f_frsize) : 0
            // An entry takes a page and an inode twice: two million files take 11 GB.
            let isLarge = free > 14 << 30 && ProcessMemory.available > 14 << 20
            entries = isLarge ? 1_000_000 : 200_000
            self.folder = free > 4 << 30 ? URL(fileURLWithPath: memory) : folder
        }
    }
}

/// A disk cache and a folder of plain files with the same entries.
private final class GrowingFolders {
    /// CPU microseconds per operation, for each block.
    private struct Costs {
        var ours: [Double] = []
        var theirs: [Double] = []

        /// The medians of the last blocks: ours, theirs, and the ratio of neighbouring blocks.
        func medians(of count: Int) -> (ours: Double, theirs: Double, ratio: Double) {
            func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
            let ratios = zip(ours, theirs).map { $0 / $1 }
            return (
                median(ours.suffix(count)), median(theirs.suffix(count)),
                median(ratios.suffix(count))
            )
        }
    }

    /// The costs at a number of entries.
    private struct Row {
        let entries: Int
        let store: (ours: Double, theirs: Double, ratio: Double)
        let read: (ours: Double, theirs: Double, ratio: Double)
    }

    private static let block = 250
    private static let readBlocks = 8
    /// The number of entries with whose costs the last ones are compared; earlier blocks warm up.
    private static let reference = 20_000
    private let storage: DiskStorage.Backend<Data>
    private let plain: String
    private static let size = 1000
    private let contents = Contents(Data(count: GrowingFolders.size))
    private var random = Random(seed: 5)
    private var stores = Costs()
    private var rows: [Row] = []

    init(in folder: URL) throws {
        storage = try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(name: "growth", sizeLimit: 0, directory: folder)
        )
        plain = folder.appendingPathComponent("plain").path
        try FileManager.default.createDirectory(atPath: plain, withIntermediateDirectories: true)
    }

    func grow(to count: Int) throws {
        let start = stores.ours.count * Self.block
        for first in stride(from: start, to: count, by: Self.block) {
            try alternate(
                Array(first..<(first + Self.block)),
                &stores,
                ours: { try storage.store(value: contents.next(), forKey: key($0)) },
                theirs: { try PlainFiles.POSIX.store(contents.next(), at: path($0)) }
            )
        }
        var reads = Costs()
        for _ in 0..<Self.readBlocks {
            try alternate(
                (0..<Self.block).map { _ in Int(random.next() % UInt64(count)) },
                &reads,
                ours: { _ = try storage.value(forKey: key($0)) },
                theirs: { _ = try PlainFiles.POSIX.read(path($0), size: Self.size) }
            )
        }
        rows.append(
            Row(
                entries: count,
                // At most the last 20,000 stores, which had nearly this number of entries.
                store: stores.medians(of: min(80, (count - start) / Self.block)),
                read: reads.medians(of: Self.readBlocks)
            )
        )
    }

    /// Measures one block of both; the order alternates, because the first one pays for work that
    /// the kernel has deferred.
    private func alternate(
        _ numbers: [Int],
        _ costs: inout Costs,
        ours: (Int) throws -> Void,
        theirs: (Int) throws -> Void
    ) throws {
        func time(_ body: (Int) throws -> Void) rethrows -> Double {
            let watch = Stopwatch()
            for number in numbers { try body(number) }
            return watch.cpu * 1e6 / Double(numbers.count)
        }
        if costs.ours.count.isMultiple(of: 2) {
            costs.ours.append(try time(ours))
            costs.theirs.append(try time(theirs))
        } else {
            costs.theirs.append(try time(theirs))
            costs.ours.append(try time(ours))
        }
    }

    /// A table of the costs, and how much they have grown.
    var report: [String] {
        var lines = [
            "    entries     store   POSIX   ours / POSIX      read   POSIX   ours / POSIX"
        ]
        for row in rows {
            lines.append(
                String(
                    format: "%11d%10.1f%8.1f%15.2f%10.1f%8.1f%15.2f",
                    row.entries,
                    row.store.ours,
                    row.store.theirs,
                    row.store.ratio,
                    row.read.ours,
                    row.read.theirs,
                    row.read.ratio
                )
            )
        }
        guard let last = rows.last, let first = rows.first(where: { $0.entries == Self.reference })
        else { return lines }
        let range = "\(last.entries) entries / \(first.entries)"
        return lines + [
            Verdict(
                "store, ours / POSIX, \(range)",
                last.store.ratio / first.store.ratio,
                atMost: 1.2
            ).line,
            Verdict(
                "read, ours / POSIX, \(range)",
                last.read.ratio / first.read.ratio,
                atMost: 1.5
            ).line,
        ]
    }

    private func key(_ number: Int) -> String { "https://example.com/\(number).jpg" }

    private func path(_ number: Int) -> String { "\(plain)/\(number).jpg" }
}
