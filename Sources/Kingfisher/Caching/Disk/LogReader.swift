import Foundation

/// Reads the records of a log, skipping damaged places.
struct LogReader {
    /// Announcements at the end of a log that may not have been completed.
    enum Unfinished: Equatable {
        case nothing
        case store(DiskEntry, temporary: UInt64)
        case removals([String])
        case clearing
    }

    /// The end of the last complete record, as an offset in the log.
    private(set) var end = 0
    /// Where to continue, as an offset in the log.
    private(set) var position = 0
    /// The number of bytes before ``end`` that belong to no record.
    private(set) var damagedBytes = 0
    var unfinished: Unfinished { removals.isEmpty ? last : .removals(removals) }
    private var last = Unfinished.nothing
    /// The names of the removals at the end, if any.
    private var removals: [String] = []

    /// Reads all records of `bytes` in order, and passes on each with its offset in the log.
    ///
    /// - Parameters:
    ///   - bytes: A part of the log that begins at ``position``; at least as long as a record can
    ///     be, unless it is the last one.
    ///   - isLast: Whether the log ends with these bytes.
    ///   - apply: Receives the records.
    mutating func read(
        _ bytes: Data,
        isLast: Bool = true,
        apply: (LogRecord, _ start: Int) -> Void
    ) {
        let base = position
        defer { position += base == position ? bytes.count : 0 }
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            if base == 0, bytes.starts(with: LogRecord.header) {
                offset = LogRecord.header.count
                end = offset
            }
            while offset < bytes.count {
                guard let (record, size) = Self.record(in: bytes, at: offset) else {
                    let rest = bytes.count - offset
                    if !isLast, rest < LogRecord.prefixSize + LogRecord.maximalBodySize {
                        // The next bytes may complete it.
                        position = base + offset
                        return
                    }
                    guard let next = Self.nextMark(in: bytes, after: offset) else { return }
                    offset = next
                    continue
                }
                damagedBytes += base + offset - end
                offset += size
                end = base + offset
                note(record)
                apply(record, base + offset - size)
            }
        }
    }

    private static func record(
        in bytes: UnsafeRawBufferPointer,
        at offset: Int
    ) -> (LogRecord, size: Int)? {
        guard bytes.count - offset >= LogRecord.prefixSize else { return nil }
        let mark = UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        )
        guard mark == LogRecord.mark else { return nil }
        let length = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        let count = Int(UInt32(littleEndian: length))
        let start = offset + LogRecord.prefixSize
        guard count <= LogRecord.maximalBodySize, count <= bytes.count - start else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)])
        let sum = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        guard UInt64(littleEndian: sum) == Checksum.of(body), let record = LogRecord(body: body)
        else { return nil }
        return (record, LogRecord.prefixSize + count)
    }

    private static func nextMark(in bytes: UnsafeRawBufferPointer, after offset: Int) -> Int? {
        var offset = offset + 1
        while offset <= bytes.count - 4 {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            if UInt32(littleEndian: word) == LogRecord.mark { return offset }
            offset += 1
        }
        return nil
    }

    private mutating func note(_ record: LogRecord) {
        switch record {
        case .stored(let entry, let temporary, _):
            removals = []
            last = temporary == 0 ? .nothing : .store(entry, temporary: temporary)
        case .removed(let name), .absent(let name, _):
            removals.append(name)
        case .used, .described, .booted:
            break
        case .cleared:
            removals = []
            last = .clearing
        }
    }
}

extension LogReader {
    /// The size of the longest log that is read; ``LogPlace`` has 32 bits.
    ///
    /// A million entries take a sixteenth of this.
    static let maximalSize = Int(UInt32.max)
    // Memory for more entries than this is not reserved, as the size may be that of a hole.
    private static let maximalReserve = 1 << 30

    // Little more than the longest record: a whole log in memory would take as much as the index.
    private static let windowSize = LogRecord.prefixSize + LogRecord.maximalBodySize + 256 * 1024

    /// Reads a whole log; `nil` if it cannot be read.
    static func read(
        _ log: OpenFile,
        by files: any FileSystem,
        atMost limit: Int = maximalSize
    ) -> (DiskIndex, LogReader)? {
        guard let status = try? files.status(of: log), status.size <= limit else { return nil }
        var (index, reader) = (DiskIndex(), LogReader())
        index.reserve(logSize: min(status.size, maximalReserve))
        while reader.position < status.size {
            let rest = status.size - reader.position
            let count = min(rest, windowSize)
            guard let bytes = try? files.read(log, from: reader.position, count: count) else {
                return nil
            }
            // Fewer bytes mean that the log was truncated meanwhile.
            let isLast = bytes.count == rest || bytes.count < count
            reader.read(bytes, isLast: isLast) { index.apply($0, at: $1) }
            if isLast { break }
        }
        return (index, reader)
    }

    /// The metadata of an entry as stored in a log; `nil` if there is none.
    static func metadata(of entry: DiskEntry, in log: OpenFile, by files: any FileSystem) -> Data? {
        guard entry.metadata.count > 0 else { return nil }
        // At least the size of any record with the metadata.
        let size = LogRecord.size(of: entry) + Int(entry.metadata.count)
        guard let bytes = try? files.read(log, from: Int(entry.metadata.start), count: size),
            let (record, _) = bytes.withUnsafeBytes({ Self.record(in: $0, at: 0) })
        else { return nil }
        let found: Data
        switch record {
        case .stored(let stored, _, let metadata)
        where stored.name == entry.name && stored.checksum == entry.checksum:
            found = metadata
        case .described(entry.name, entry.checksum, let metadata): found = metadata
        default: return nil
        }
        // The size must match, because the index computes the size of a new log from it.
        return found.count == Int(entry.metadata.count) ? found : nil
    }
}

extension DiskIndex {
    /// The bytes of a log of the entries, with the metadata of an old log, and their new places.
    func log(
        instead old: OpenFile,
        by files: any FileSystem,
        at now: TimeInterval
    ) -> (bytes: Data, moved: [(name: String, place: LogPlace)]) {
        let absences = self.absences.all.filter { $0.value.expiry > now }
        let head = LogRecord.encode(
            absences.map { .absent($0.key.string, $0.value) },
            after: LogRecord.header
        )
        var start = head.count
        var moved: [(name: String, place: LogPlace)] = []
        let records = entries.lazy.map { entry -> LogRecord in
            let metadata = LogReader.metadata(of: entry, in: old, by: files) ?? Data()
            let record = LogRecord.stored(entry, temporary: 0, metadata: metadata)
            if entry.metadata.count > 0 {
                moved.append((entry.name, LogPlace(start: start, count: metadata.count)))
            }
            start += record.size
            return record
        }
        let bytes = LogRecord.encode(records, size: liveLogSize, after: head)
        return (bytes, moved)
    }

    /// Applies a record that starts at an offset of the log.
    mutating func apply(_ record: LogRecord, at start: Int) {
        switch record {
        case .stored(var entry, _, let metadata):
            entry.metadata = LogPlace(start: start, count: metadata.count)
            put(entry)
        case .described(let name, let checksum, let metadata):
            let place = LogPlace(start: start, count: metadata.count)
            describe(name, by: place) { $0 == checksum }
        case .removed(let name):
            remove(name)
        case .absent(let name, let absence):
            remove(name)
            absences.insert(absence, of: name)
        case .used(let name, let access, let expiry, let lifetime):
            use(name, unwritten: .nothing) { entry in
                entry.access = access
                entry.expiry = expiry
                entry.lifetime = lifetime
                return true
            }
        case .cleared:
            self = DiskIndex()
        case .booted:
            break
        }
    }
}
