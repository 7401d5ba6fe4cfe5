import Foundation

/// A change of a disk store's index, as recorded in its log.
enum LogRecord: Sendable, Equatable {
    /// A file was stored, or is about to be: it was written under the temporary name of a number.
    ///
    /// The number is 0 for a file that already has its final name.
    case stored(DiskEntry, temporary: UInt64, metadata: Data = Data())
    /// The entry with these bytes has new metadata.
    case described(String, checksum: UInt64, metadata: Data)
    case removed(String)
    /// A file was removed or did not exist, for a reason.
    case absent(String, DiskAbsence)
    case used(String, access: TimeInterval, expiry: TimeInterval, lifetime: TimeInterval)
    /// All files were removed.
    case cleared
    /// A boot of the machine, recorded by earlier versions.
    case booted
}

/// The bytes of a log.
///
/// The file begins with ``header``. Records follow, in little-endian byte order: a mark, the length
/// of the body, the body's ``Checksum``, and the body. The mark makes it possible to find the
/// records after a damaged one.
extension LogRecord {
    static let header = Data("KFCACHE1".utf8)
    static let mark: UInt32 = 0x524C_4BCB

    /// The layouts of the record of a stored entry, as in the second byte of its body: the version of
    /// the format.
    ///
    /// A new field gets a layout with the next number, a new kind of record the next `Kind`, and all
    /// earlier ones stay readable. To a library that does not know a number, or another header, the
    /// log is damaged there: it reads on, and makes the index again from the files. So the header
    /// never changes, and an entry gets the first layout that is enough.
    enum Layout: UInt8, CaseIterable {
        case plain = 1
        case withMetadata = 2
        /// With a division and, if there is some, metadata.
        case withDivision = 3
    }

    static let prefixSize = 16
    private static let storedFixedSize = 1 + 1 + 7 * 8 + 2 + 4
    private static let divisionSize = 4
    private static let namedFixedSize = 1 + 8 + 2
    /// 1 TiB: sums of sizes cannot overflow with fewer than eight million such records.
    static let maximalFileSize = 1 << 40
    // No URL is a megabyte long.
    static let maximalBodySize = 1 << 20

    enum Kind: UInt8, CaseIterable {
        case stored = 1
        case removed = 2
        case used = 3
        case cleared = 4
        case booted = 5
        case described = 6
        case absent = 7
    }

    /// The size of a record of an entry without metadata, in bytes.
    static func size(of entry: DiskEntry) -> Int {
        size(nameCount: entry.name.utf8.count, keyCount: entry.key.utf8.count, entry.division)
    }

    /// As above, for a name and key of the given sizes in bytes.
    static func size(nameCount: Int, keyCount: Int, _ division: KeyDivision) -> Int {
        prefixSize + storedFixedSize + (division == .atFirst ? 0 : divisionSize) + nameCount
            + keyCount
    }

    /// The size of the record in bytes.
    var size: Int {
        switch self {
        case .stored(let entry, _, let metadata): Self.size(of: entry) + metadata.count
        case .described(let name, _, let metadata):
            Self.prefixSize + Self.namedFixedSize + name.utf8.count + metadata.count
        case .absent(let name, let absence):
            Self.prefixSize + Self.namedFixedSize + name.utf8.count + absence.metadata.count
        case .removed(let name): Self.prefixSize + 1 + name.utf8.count
        case .used(let name, _, _, _): Self.prefixSize + 25 + name.utf8.count
        case .cleared: Self.prefixSize + 1
        case .booted: Self.prefixSize + 1
        }
    }

    /// The encoded records, one after another.
    static func encode(_ records: [LogRecord], after start: Data = Data()) -> Data {
        encode(records, size: records.reduce(0) { $0 + $1.size }, after: start)
    }

    /// The encoded records of a sequence, which take at most `size` bytes together.
    static func encode(
        _ records: some Sequence<LogRecord>,
        size: Int,
        after start: Data = Data()
    ) -> Data {
        var bytes = Data(count: start.count + size)
        let end = bytes.withUnsafeMutableBytes { buffer in
            buffer.copyBytes(from: start)
            var offset = start.count
            for record in records {
                let end = offset + record.size
                record.write(to: UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<end]))
                offset = end
            }
            return offset
        }
        return bytes.prefix(end)
    }

    private func write(to record: UnsafeMutableRawBufferPointer) {
        let body = UnsafeMutableRawBufferPointer(rebasing: record[Self.prefixSize...])
        writeBody(to: body)
        record.store(Self.mark, at: 0)
        record.store(UInt32(body.count), at: 4)
        record.store(Checksum.of(UnsafeRawBufferPointer(body)), at: 8)
    }

    private func writeBody(to body: UnsafeMutableRawBufferPointer) {
        switch self {
        case .stored(let entry, let temporary, let metadata):
            body[0] = Kind.stored.rawValue
            // Earlier versions do not read entries with a division, whose names they would give to
            // other keys.
            let hasDivision = entry.division != .atFirst
            let plain = metadata.isEmpty ? Layout.plain : .withMetadata
            body[1] = (hasDivision ? .withDivision : plain).rawValue
            body.store(UInt64(entry.size), at: 2)
            body.store(entry.checksum, at: 10)
            body.store(entry.modified, at: 18)
            body.store(entry.access.bitPattern, at: 26)
            body.store(entry.expiry.bitPattern, at: 34)
            body.store(entry.lifetime.bitPattern, at: 42)
            body.store(temporary, at: 50)
            body.store(UInt16(entry.name.utf8.count), at: 58)
            body.store(UInt32(entry.key.utf8.count), at: 60)
            var end = Self.storedFixedSize
            if hasDivision {
                body.store(entry.division.offset, at: end)
                end += Self.divisionSize
            }
            body.store(entry.name, at: end)
            body.store(entry.key, at: end + entry.name.utf8.count)
            body.storeAtEnd(metadata)
        case .described(let name, let checksum, let metadata):
            body[0] = Kind.described.rawValue
            body.store(checksum, name, metadata, at: 1)
        case .absent(let name, let absence):
            body[0] = Kind.absent.rawValue
            body.store(absence.expiry.bitPattern, name, absence.metadata, at: 1)
        case .removed(let name):
            body[0] = Kind.removed.rawValue
            body.store(name, at: 1)
        case .used(let name, let access, let expiry, let lifetime):
            body[0] = Kind.used.rawValue
            body.store(access.bitPattern, at: 1)
            body.store(expiry.bitPattern, at: 9)
            body.store(lifetime.bitPattern, at: 17)
            body.store(name, at: 25)
        case .cleared:
            body[0] = Kind.cleared.rawValue
        case .booted:
            body[0] = Kind.booted.rawValue
        }
    }

    /// Parses a body with a valid checksum; `nil` if its contents are invalid.
    init?(body: UnsafeRawBufferPointer) {
        guard let first = body.first, let kind = Kind(rawValue: first) else { return nil }
        switch kind {
        case .stored:
            guard let record = Self.readStored(body) else { return nil }
            self = record
        case .removed:
            let name = String(decoding: body[1...], as: UTF8.self)
            guard FileNaming.isEntryName(name) else { return nil }
            self = .removed(name)
        case .used:
            guard body.count > 25 else { return nil }
            let name = String(decoding: body[25...], as: UTF8.self)
            guard FileNaming.isEntryName(name) else { return nil }
            self = .used(
                name,
                access: TimeInterval(bitPattern: body.number(at: 1)),
                expiry: TimeInterval(bitPattern: body.number(at: 9)),
                lifetime: TimeInterval(bitPattern: body.number(at: 17))
            )
        case .described:
            guard let (checksum, name, metadata) = Self.readNamed(body) else { return nil }
            self = .described(name, checksum: checksum, metadata: metadata)
        case .absent:
            guard let (expiry, name, metadata) = Self.readNamed(body) else { return nil }
            let absence = DiskAbsence(expiry: .init(bitPattern: expiry), metadata: metadata)
            self = .absent(name, absence)
        case .cleared:
            self = .cleared
        case .booted:
            self = .booted
        }
    }

    /// Parses a body with a number, a name and metadata.
    private static func readNamed(_ body: UnsafeRawBufferPointer) -> (UInt64, String, Data)? {
        guard body.count >= namedFixedSize else { return nil }
        let nameCount = Int(body.number(at: 9) as UInt16)
        let rest = body[namedFixedSize...]
        let name = String(decoding: rest.prefix(nameCount), as: UTF8.self)
        let metadata = rest.dropFirst(nameCount)
        guard rest.count >= nameCount, FileNaming.isEntryName(name),
            metadata.count <= EntryMetadata.maximalSize
        else { return nil }
        return (body.number(at: 1), name, Data(metadata))
    }

    private static func readStored(_ body: UnsafeRawBufferPointer) -> LogRecord? {
        // Earlier versions added files without a checksum; their bytes cannot be verified.
        guard body.count >= storedFixedSize, let layout = Layout(rawValue: body[1]) else {
            return nil
        }
        let hasDivision = layout == .withDivision
        let start = storedFixedSize + (hasDivision ? divisionSize : 0)
        guard body.count >= start else { return nil }
        let nameCount = Int(body.number(at: 58) as UInt16)
        let keyCount = Int(body.number(at: 60) as UInt32)
        let metadata = body.dropFirst(start + nameCount + keyCount)
        guard body.count == start + nameCount + keyCount + metadata.count,
            layout != .plain || metadata.isEmpty,
            metadata.count <= EntryMetadata.maximalSize,
            let size = Int(exactly: body.number(at: 2) as UInt64), size <= maximalFileSize
        else { return nil }
        let names = body[start...]
        let name = String(decoding: names.prefix(nameCount), as: UTF8.self)
        // A log is untrusted: a record must not name a file outside the folder.
        guard FileNaming.isEntryName(name) else { return nil }
        let entry = DiskEntry(
            name: name,
            key: String(decoding: names.dropFirst(nameCount).prefix(keyCount), as: UTF8.self),
            size: size,
            checksum: body.number(at: 10),
            modified: Int64(bitPattern: body.number(at: 18)),
            access: TimeInterval(bitPattern: body.number(at: 26)),
            expiry: TimeInterval(bitPattern: body.number(at: 34)),
            lifetime: TimeInterval(bitPattern: body.number(at: 42)),
            metadata: LogPlace(),
            division: hasDivision
                ? KeyDivision(offset: body.number(at: storedFixedSize)) : .atFirst
        )
        return .stored(entry, temporary: body.number(at: 50), metadata: Data(metadata))
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func store<Number: FixedWidthInteger & BitwiseCopyable>(
        _ number: Number,
        at offset: Int
    ) {
        storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }

    fileprivate func store(_ text: String, at offset: Int) {
        var text = text
        text.withUTF8 { bytes in
            UnsafeMutableRawBufferPointer(rebasing: self[offset...])
                .copyMemory(from: UnsafeRawBufferPointer(bytes))
        }
    }

    /// Writes a number, the length of a name, the name, and metadata up to the end.
    fileprivate func store(_ number: UInt64, _ name: String, _ metadata: Data, at offset: Int) {
        store(number, at: offset)
        store(UInt16(name.utf8.count), at: offset + 8)
        store(name, at: offset + 10)
        storeAtEnd(metadata)
    }

    fileprivate func storeAtEnd(_ metadata: Data) {
        UnsafeMutableRawBufferPointer(rebasing: self[(count - metadata.count)...])
            .copyBytes(from: metadata)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
