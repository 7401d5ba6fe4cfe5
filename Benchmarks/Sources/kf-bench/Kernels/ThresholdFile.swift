import Foundation

/// Lines of a name and a number.
enum ThresholdFile {
    static func read(_ file: URL) throws -> [String: Double] {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            // Unreadable and missing are the same to who has to record them.
            throw BenchmarkError(
                "there are no thresholds for this kind of processor (\(file.lastPathComponent)); "
                    + "--record makes them"
            )
        }
        var thresholds: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: " ")
            guard fields.count == 2, let value = Double(fields[1]), value > 0 else {
                throw BenchmarkError("\(file.lastPathComponent) has the line '\(line)'")
            }
            thresholds[String(fields[0])] = value
        }
        return thresholds
    }

    static func write(_ thresholds: [(String, Double)], to file: URL) throws {
        var text = "# CPU time of each kernel as a share of the reference loop's.\n"
        for (name, value) in thresholds { text += "\(name) \(String(format: "%.4f", value))\n" }
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: file, options: .atomic)
    }
}

/// The kind of processor, as far as it decides which kernels run.
enum ProcessorKind {
    static var name: String {
        #if arch(x86_64)
        // Without procfs it is taken for one without.
        let flags = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        return flags.contains(" avx2 ") ? "x86_64-avx2" : "x86_64"
        #elseif arch(arm64)
        return "arm64"
        #else
        return "other"
        #endif
    }
}
