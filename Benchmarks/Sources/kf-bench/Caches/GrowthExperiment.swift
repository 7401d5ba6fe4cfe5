import Foundation
import Kingfisher

/// Whether a store costs the same however many entries there are, beside plain files in a folder.
enum GrowthExperiment {
    static let experiment = Experiment(
        name: "growth",
        title: "CPU microseconds per store of 1 KB while a folder grows to 200,000 entries"
    ) { folder in
        try PlainFiles.withFolder(in: folder) { try run(in: $0) }
    }

    private static let block = 1000
    private static let blocks = 200
    /// So many blocks are shown as one line, by their median.
    private static let window = 20

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
            ours.append(
                try time {
                    for key in keys {
                        try storage.store(value: data, forKey: "https://example.com/\(key).jpg")
                    }
                }
            )
            theirs.append(
                try time {
                    for key in keys { try PlainFiles.POSIX.store(data, at: "\(plain)/\(key).jpg") }
                }
            )
        }
        var lines = ["    entries      ours   POSIX"]
        for first in stride(from: 0, to: blocks, by: window) {
            let range = first..<(first + window)
            lines.append(
                String(
                    format: "%11d%10.1f%8.1f",
                    range.upperBound * block,
                    median(ours[range]),
                    median(theirs[range])
                )
            )
        }
        let growth = median(ours.suffix(window)) / median(ours[1..<(1 + window)])
        let control = median(theirs.suffix(window)) / median(theirs[1..<(1 + window)])
        // What the file system itself does as it grows is not ours to answer for.
        let verdict = Verdict("growth of ours / growth of POSIX", growth / control, atMost: 1.2)
        let growths = String(format: "growth: ours %.2f, POSIX %.2f", growth, control)
        return lines + [growths, verdict.line]
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
