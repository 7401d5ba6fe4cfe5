import Foundation

/// Checksums that detect changed bytes; they are no protection against deliberate changes.
///
/// XXH64 with seed 0; specification:
/// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md. It is as fast as memory access,
/// whereas zlib's CRC-32 would take twice as long as reading the file.
enum Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    static func of(_ data: Data) -> UInt64 { data.withUnsafeBytes { of($0) } }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard let start = bytes.baseAddress else { return finish(prime5, nil, 0) }
        let count = bytes.count
        var hash = prime5
        var offset = 0
        if count >= 32 {
            var lane1 = prime1 &+ prime2
            var lane2 = prime2
            var lane3: UInt64 = 0
            var lane4 = 0 &- prime1
            while offset <= count &- 32 {
                lane1 = round(lane1, word(start, offset))
                lane2 = round(lane2, word(start, offset &+ 8))
                lane3 = round(lane3, word(start, offset &+ 16))
                lane4 = round(lane4, word(start, offset &+ 24))
                offset &+= 32
            }
            hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
            hash = merge(hash, lane1)
            hash = merge(hash, lane2)
            hash = merge(hash, lane3)
            hash = merge(hash, lane4)
        }
        return finish(hash &+ UInt64(count), start + offset, count &- offset)
    }

    private static func finish(
        _ hash: UInt64,
        _ rest: UnsafeRawPointer?,
        _ restCount: Int
    ) -> UInt64 {
        var hash = hash
        if let rest {
            var offset = 0
            while offset &+ 8 <= restCount {
                hash = rotate(hash ^ round(0, word(rest, offset)), 27) &* prime1 &+ prime4
                offset &+= 8
            }
            if offset &+ 4 <= restCount {
                let half = rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                hash ^= UInt64(UInt32(littleEndian: half)) &* prime1
                hash = rotate(hash, 23) &* prime2 &+ prime3
                offset &+= 4
            }
            while offset < restCount {
                let byte = rest.load(fromByteOffset: offset, as: UInt8.self)
                hash = rotate(hash ^ UInt64(byte) &* prime5, 11) &* prime1
                offset &+= 1
            }
        }
        hash = (hash ^ hash >> 33) &* prime2
        hash = (hash ^ hash >> 29) &* prime3
        return hash ^ hash >> 32
    }

    @inline(__always)
    private static func word(_ start: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value &<< bits | value &>> (64 &- bits)
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotate(lane &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }
}

/// Data stored with a file, so that the file can be added to the index if its log record is lost.
///
/// It binds the bytes to the file's name, so that swapped, incomplete and foreign files are not
/// mistaken for entries. It is no protection against deliberate changes.
struct FileProof: Equatable {
    /// The size in bytes at most: five 8-byte numbers.
    static let maximalSize = 40
    /// The name of a file that entries share: it stands for all of them.
    static let anyName = ""

    /// The checksum of the bytes in the file.
    var checksum: UInt64
    var expiry: TimeInterval
    var lifetime: TimeInterval
    /// Left out by `atFirst`, as in earlier versions, which do not accept proofs with a division.
    var division: KeyDivision

    init(_ entry: DiskEntry) {
        checksum = entry.checksum
        expiry = entry.expiry
        lifetime = entry.lifetime
        division = entry.division
    }

    /// Parses the proof of a file; `nil` if it is invalid or belongs to another name.
    init?(_ bytes: Data, name: String) {
        guard bytes.count == Self.maximalSize || bytes.count == Self.maximalSize - 8 else {
            return nil
        }
        let numbers = bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 8).map {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
        checksum = numbers[0]
        expiry = TimeInterval(bitPattern: numbers[1])
        lifetime = TimeInterval(bitPattern: numbers[2])
        division = numbers.count > 4 ? KeyDivision(offset: UInt32(clamping: numbers[3])) : .atFirst
        guard numbers.dropLast().elementsEqual(self.numbers), numbers.last == seal(for: name) else {
            return nil
        }
    }

    /// The entry of a file without a record in the log, which alone has the rest.
    func entry(_ name: String, key: String, _ status: FileStatus, at now: TimeInterval) -> DiskEntry
    {
        let modified =
            TimeInterval(status.modified) * 1e-9 - Date.timeIntervalBetween1970AndReferenceDate
        return DiskEntry(
            name: name,
            key: key,
            size: status.size,
            checksum: checksum,
            modified: status.modified,
            access: min(modified, now),
            expiry: expiry,
            lifetime: lifetime,
            metadata: LogPlace(),
            division: division
        )
    }

    private var numbers: [UInt64] {
        let numbers = [checksum, expiry.bitPattern, lifetime.bitPattern]
        return division == .atFirst ? numbers : numbers + [UInt64(division.offset)]
    }

    func bytes(for name: String) -> Data {
        var bytes = Data(capacity: Self.maximalSize)
        for number in numbers + [seal(for: name)] {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private func seal(for name: String) -> UInt64 {
        var bytes = Data(name.utf8)
        for number in numbers {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return Checksum.of(bytes)
    }
}
