import Foundation

/// Data stored with a file, so that the file can be added to the index if its log record is lost.
///
/// It binds the bytes to the file's name, so that swapped, incomplete and foreign files are not
/// mistaken for entries. It is no protection against deliberate changes.
struct FileProof: Equatable {
    /// Four 8-byte numbers.
    static let size = 32

    /// The checksum of the bytes in the file.
    var checksum: UInt64
    var expiry: TimeInterval
    var lifetime: TimeInterval

    init(_ entry: DiskEntry) {
        checksum = entry.checksum
        expiry = entry.expiry
        lifetime = entry.lifetime
    }

    /// Parses the proof of a file; `nil` if it is invalid or belongs to another name.
    init?(_ bytes: Data, name: String) {
        guard bytes.count == Self.size else { return nil }
        let numbers = bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: Self.size, by: 8).map {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
        checksum = numbers[0]
        expiry = TimeInterval(bitPattern: numbers[1])
        lifetime = TimeInterval(bitPattern: numbers[2])
        guard numbers[3] == seal(for: name) else { return nil }
    }

    func bytes(for name: String) -> Data {
        var bytes = Data(capacity: Self.size)
        for number in [checksum, expiry.bitPattern, lifetime.bitPattern, seal(for: name)] {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private func seal(for name: String) -> UInt64 {
        var bytes = Data(name.utf8)
        for number in [checksum, expiry.bitPattern, lifetime.bitPattern] {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return Checksum.of(bytes)
    }
}
