import Foundation
import Glibc
import Kingfisher

/// Whether the cost of a store depends on the number of entries, compared with plain files.
///
/// Both alternate in small blocks. Each block of the cache is divided by the neighbouring block of
/// plain files, which eliminates the growing cost of the file system itself.
enum GrowthExperiment {
    static let experiment = Experiment(
        name: "growth",
        title: "CPU microseconds per store of 1 KB while a folder grows to 200,000 entries"
    ) { folder in
        let parent = inMemory ?? folder
        let lines = try PlainFiles.withFolder(in: parent) { try run(in: $0) }
        return ["  in \(parent.path)"] + lines
    }

    private static let block = 250
    private static let blocks = 800
    /// The number of blocks per printed line, which shows their medians.
    private static let window = 80

    /// A folder in memory with room for both.
    ///
    /// On a disk, the kernel charges a writer for writing back earlier data, which costs up to
    /// twelve times as much as the store.
    private static var inMemory: URL? {
        let path = "/dev/shm"
        var space = statvfs()
        // 400,000 files of a page and an inode take 2 GB.
        guard access(path, W_OK) == 0, statvfs(path, &space) == 0,
            UInt64(space.f_bavail) * UInt64(space.f_frsize) > 4 << 30
        else { return nil }
        return URL(fileURLWithPath: path)
    }

    private static func run(in folder: URL) throws -> [String] {
        let storage = try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(name: "growth", sizeLimit: 0, directory: folder)
        )
        let plain = folder.appendingPathComponent("plain").path
        try FileManager.default.createDirectory(
            atPath: plain,
            withIntermediateDirectories: true
        )
        let data = Data(count: 1000)
        var ours: [Double] = []
        var theirs: [Double] = []
        for start in stride(from: 0, to: block * blocks, by: block) {
            let keys = start..<(start + block)
            let storeOurs = {
                try time {
                    for key in keys {
                        try storage.store(value: data, forKey: "https://example.com/\(key).jpg")
                    }
                }
            }
            let storeTheirs = {
                try time {
                    for key in keys { try PlainFiles.POSIX.store(data, at: "\(plain)/\(key).jpg") }
                }
            }
            // The order alternates, because the first one pays for work that the kernel has
            // deferred.
            if start / block % 2 == 0 {
                ours.append(try storeOurs())
                theirs.append(try storeTheirs())
            } else {
                theirs.append(try storeTheirs())
                ours.append(try storeOurs())
            }
        }
        return report(ours, theirs)
    }

    private static func report(_ ours: [Double], _ theirs: [Double]) -> [String] {
        let ratios = zip(ours, theirs).map { $0 / $1 }
        var lines = ["    entries      ours   POSIX   ours / POSIX"]
        for first in stride(from: 0, to: blocks, by: window) {
            let range = first..<(first + window)
            lines.append(
                String(
                    format: "%11d%10.1f%8.1f%15.2f",
                    range.upperBound * block,
                    median(ours[range]),
                    median(theirs[range]),
                    median(ratios[range])
                )
            )
        }
        // The first blocks open the folder and warm up.
        let growth = median(ratios.suffix(window)) / median(ratios[8..<(8 + window)])
        let label = "ours / POSIX, the last 20,000 / the first"
        return lines + [Verdict(label, growth, atMost: 1.2).line]
    }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let watch = Stopwatch()
        try body()
        return watch.cpu * 1e6 / Double(block)
    }

    private static func median(_ values: ArraySlice<Double>) -> Double {
        values.sorted()[values.count / 2]
    }
}
