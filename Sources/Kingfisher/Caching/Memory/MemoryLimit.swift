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

/// Statistics of a cache's memory storage since it was made, and its current contents.
///
/// The numbers of a snapshot are not taken atomically, because the storage may be used meanwhile.
public struct MemoryStatistics: Sendable, Equatable {
    /// Lookups that returned a value.
    public internal(set) var hits = 0
    /// The hits whose value had been evicted but was still referenced elsewhere, for example by a
    /// view.
    public internal(set) var revivals = 0
    /// Lookups of keys without a value, never stored or evicted.
    public internal(set) var absences = 0
    /// Lookups of expired values that were not removed yet.
    public internal(set) var staleReads = 0
    /// Values evicted because of the cost limit.
    public internal(set) var evictedForCost = 0
    /// Values evicted because of the count limit.
    public internal(set) var evictedForCount = 0
    /// Values evicted because of memory pressure.
    public internal(set) var evictedForPressure = 0
    /// Values removed because they had expired.
    public internal(set) var expired = 0
    /// Values not stored because they exceed the limit on their own.
    public internal(set) var oversized = 0
    /// The total cost of the stored values in bytes.
    public internal(set) var cost = 0
    /// The number of stored values.
    public internal(set) var count = 0

    /// Lookups that returned no value.
    public var misses: Int { absences + staleReads }
    /// Values evicted to make room.
    public var evictions: Int { evictedForCost + evictedForCount + evictedForPressure }

    init() {}
}
