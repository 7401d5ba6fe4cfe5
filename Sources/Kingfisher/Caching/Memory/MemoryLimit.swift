import Foundation

/// The memory that this process may use.
enum MemoryLimit {
    /// The machine's memory, or the limit of the process's control groups if that is smaller.
    ///
    /// - Parameters:
    ///   - physical: The machine's memory in bytes.
    ///   - readFile: Returns the text of a file, `nil` if there is none.
    /// - Returns: The memory in bytes.
    static func bytes(
        physical: UInt64 = ProcessInfo.processInfo.physicalMemory,
        readFile: (String) -> String? = readText
    ) -> UInt64 {
        let limits = groups(in: readFile("/proc/self/cgroup") ?? "")
            .flatMap { files(of: $0) }
            .compactMap { readFile($0) }
            .compactMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        // "max" is not a number and is skipped; version 1 of control groups uses a huge number for
        // no limit.
        return limits.reduce(physical, min)
    }

    /// A quarter of the available memory in bytes; the default limit of a memory cache.
    static func defaultCacheCost() -> Int { Int(clamping: bytes() / 4) }

    private enum Group {
        case unified(path: String)
        case memoryController(path: String)
    }

    /// Parses lines of the form `id:controllers:path`, see `man 7 cgroups`.
    private static func groups(in text: String) -> [Group] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return nil }
            if fields[0] == "0", fields[1].isEmpty { return .unified(path: String(fields[2])) }
            let isMemory = fields[1].split(separator: ",").contains("memory")
            return isMemory ? .memoryController(path: String(fields[2])) : nil
        }
    }

    /// The limit files of a group and of its parents, all of which apply.
    ///
    /// In a container the path often refers to the host and does not exist inside. The root, which
    /// is then the container's own group, is always included.
    private static func files(of group: Group) -> [String] {
        switch group {
        case .unified(let path):
            ancestors(of: path).map { "/sys/fs/cgroup\($0)/memory.max" }
        case .memoryController(let path):
            ancestors(of: path).map { "/sys/fs/cgroup/memory\($0)/memory.limit_in_bytes" }
        }
    }

    private static func ancestors(of path: String) -> [String] {
        let names = path.split(separator: "/")
        return (0...names.count).map { count in names.prefix(count).map { "/\($0)" }.joined() }
    }

    private static func readText(_ path: String) -> String? {
        // An unreadable file sets no limit.
        try? String(contentsOfFile: path, encoding: .utf8)
    }
}
