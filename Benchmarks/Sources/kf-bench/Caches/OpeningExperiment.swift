import Foundation
import Kingfisher

/// Opening a folder of 100,000 entries in a new process, and trimming a tenth of them.
enum OpeningExperiment {
    static let experiment = Experiment(
        name: "opening",
        title: "opening a disk cache of 100,000 entries, and trimming 10,000 of them"
    ) { folder in
        try PlainFiles.withFolder(in: folder) { try run(in: $0) }
    }

    private static let count = 100_000
    /// The oldest tenth has half of the bytes: trimming to half of the limit removes just it.
    private static let (small, large) = (1_000, 9_000)

    private static func run(in folder: URL) throws -> [String] {
        try fill(folder)
        var opening = Double.infinity
        for _ in 0..<3 {
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
            guard let seconds = Double(text.filter { $0 != "\n" }) else {
                throw BenchmarkError("the child says '\(text)'")
            }
            opening = min(opening, seconds)
        }
        let storage = try backend(in: folder)
        storage.config.sizeLimit = try storage.totalSize() - 1
        let watch = Stopwatch()
        let removed = try storage.removeSizeExceededValues().count
        let (wall, cpu) = (watch.wall, watch.cpu)
        let share = Double(count / 10) / Double(max(1, removed))
        return [
            Verdict("seconds to open, wall", opening, atMost: 0.5).line,
            Verdict("seconds per 10,000 trimmed, wall", wall * share, atMost: 1).line,
            String(format: "trimmed %d in %.3f s, CPU %.3f s", removed, wall, cpu),
        ]
    }

    private static func fill(_ folder: URL) throws {
        let storage = try backend(in: folder)
        let values = [Data(count: large), Data(count: small)]
        for index in 0..<count {
            let value = values[index < count / 10 ? 0 : 1]
            try storage.store(value: value, forKey: "https://images.example.com/\(index).jpg")
        }
    }

    private static func backend(in folder: URL) throws -> DiskStorage.Backend<Data> {
        try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(name: "opening", sizeLimit: 0, directory: folder)
        )
    }

    /// Opens the folder that `fill` made and looks at its size; what the child does.
    static func seconds(toOpen folder: URL) throws -> Double {
        let watch = Stopwatch()
        let storage = try backend(in: folder)
        guard try storage.totalSize() >= UInt(count / 10 * large) else {
            throw BenchmarkError("entries are missing")
        }
        return watch.wall
    }
}
