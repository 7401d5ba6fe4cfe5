import Foundation

/// Why names have no entry; those that expire first are dropped above a limit.
struct DiskAbsences: Sendable {
    // Limited, because a server can cause any number of them. An absence takes half a kilobyte, or
    // 16 with the longest header fields.
    private static let maximalCount = 1_000
    private static let maximalSize = 512 << 10

    private(set) var all: [ByteText: DiskAbsence] = [:]
    /// The size of their records in the log, in bytes.
    private(set) var size = 0

    subscript(name: String) -> DiskAbsence? { all[ByteText(name)] }

    mutating func insert(_ absence: DiskAbsence, of name: String) {
        remove(name)
        let added = LogRecord.absent(name, absence).size
        while all.count >= Self.maximalCount || size + added > Self.maximalSize,
            let first = all.min(by: { $0.value.expiry < $1.value.expiry })
        {
            remove(first.key.string)
        }
        all[ByteText(name)] = absence
        size += added
    }

    mutating func remove(_ name: String) {
        guard !all.isEmpty, let absence = all.removeValue(forKey: ByteText(name)) else { return }
        size -= LogRecord.absent(name, absence).size
    }
}
