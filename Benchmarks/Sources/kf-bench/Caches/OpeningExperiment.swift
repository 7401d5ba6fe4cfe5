import Foundation
import Kingfisher

/// Opening a folder of 100,000 entries in a new process, trimming a tenth of them, and opening a
/// folder of a million entries.
enum OpeningExperiment {
    static let experiment = Experiment(
        name: "opening",
        title: "opening a disk cache of 100,000 entries, trimming 10,000 of them; a million entries"
    ) { folder in
        try PlainFiles.withFolder(in: folder) { try run(in: $0) }
            + PlainFiles.withFolder(in: folder) { try openMillion(in: $0) }
    }

    private static let count = 100_000
    /// The oldest tenth has half of the bytes: trimming to half of the limit removes exactly these.
    private static let (small, large) = (1_000, 9_000)

    private static func run(in folder: URL) throws -> [String] {
        try fill(folder)
        let empty = folder.appendingPathComponent("empty")
        var (full, none) = (Opening(), Opening())
        for _ in 0..<3 {
            full.improve(by: try opening(folder))
            none.improve(by: try opening(empty))
        }
        guard full.count == count else { throw BenchmarkError("entries are missing") }
        // The memory of an empty cache, including code and libraries, is subtracted.
        let bytes = Double((full.kilobytes - none.kilobytes) * 1024) / Double(count)
        let storage = try backend(in: folder)
        storage.config.sizeLimit = try storage.totalSize() - 1
        let watch = Stopwatch()
        let removed = try storage.removeSizeExceededValues().count
        let (wall, cpu) = (watch.wall, watch.cpu)
        let share = Double(count / 10) / Double(max(1, removed))
        return [
            Verdict("seconds to open, wall", full.seconds, atMost: 0.5).line,
            Verdict("bytes of memory per entry", bytes, atMost: 200).line,
            Verdict("seconds per 10,000 trimmed, wall", wall * share, atMost: 1).line,
            String(format: "trimmed %d in %.3f s, CPU %.3f s", removed, wall, cpu),
        ]
    }

    private static func openMillion(in folder: URL) throws -> [String] {
        let million = 1_000_000
        let storage = try backend(in: folder)
        let contents = Contents(Data(count: 8))
        for index in 0..<million {
            try storage.store(
                value: contents.next(),
                forKey: "https://images.example.com/photos/\(index).jpg?size=large"
            )
        }
        var best = Opening()
        for _ in 0..<3 { best.improve(by: try opening(folder)) }
        guard best.count == million else { throw BenchmarkError("entries are missing") }
        return [
            Verdict("seconds to open a million entries, wall", best.seconds, atMost: 5).line,
            Verdict("MB of that process, peak", Double(best.peak) / 1e3, atMost: 250).line,
        ]
    }

    private static func fill(_ folder: URL) throws {
        let storage = try backend(in: folder)
        let values = [Contents(Data(count: large)), Contents(Data(count: small))]
        for index in 0..<count {
            let value = values[index < count / 10 ? 0 : 1].next()
            try storage.store(value: value, forKey: "https://images.example.com/\(index).jpg")
        }
    }

    private static func backend(in folder: URL) throws -> DiskStorage.Backend<Data> {
        try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(name: "opening", sizeLimit: 0, directory: folder)
        )
    }

    /// The lowest cost of opening a folder.
    private struct Opening {
        var seconds = Double.infinity
        /// The resident memory afterwards.
        var kilobytes = Int.max
        var peak = Int.max
        var count = 0

        mutating func improve(by other: Opening) {
            seconds = min(seconds, other.seconds)
            kilobytes = min(kilobytes, other.kilobytes)
            peak = min(peak, other.peak)
            count = other.count
        }
    }

    /// Opens a folder in a new process.
    private static func opening(_ folder: URL) throws -> Opening {
        let child = Process()
        let answer = Pipe()
        child.executableURL = URL(fileURLWithPath: try KFBench.program())
        child.arguments = ["--opens", folder.path]
        child.standardOutput = answer
        try child.run()
        let text = String(
            decoding: answer.fileHandleForReading.readDataToEndOfFile(),
            as: UTF8.self
        )
        child.waitUntilExit()
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 4, let seconds = Double(words[0]), let kilobytes = Int(words[1]),
            let peak = Int(words[2]), let count = Int(words[3])
        else { throw BenchmarkError("the child says '\(text)'") }
        return Opening(seconds: seconds, kilobytes: kilobytes, peak: peak, count: count)
    }

    /// Opens a folder and returns the measurements: seconds, resident kilobytes, their peak, and the
    /// number of the entries.
    ///
    /// Runs in the child process.
    static func open(_ folder: URL) throws -> String {
        let watch = Stopwatch()
        let storage = try backend(in: folder)
        let count = storage.statistics.count
        let seconds = watch.wall
        return withExtendedLifetime(storage) {
            "\(seconds) \(ProcessMemory.resident) \(ProcessMemory.peak) \(count)"
        }
    }
}
