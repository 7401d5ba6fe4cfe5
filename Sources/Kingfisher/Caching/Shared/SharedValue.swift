import Foundation

/// An entry as it is stored in a shared storage: its bytes with their metadata.
///
/// A header of 32 bytes in little-endian byte order is followed by the metadata and the bytes:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | ``magic`` |
/// | 4 | 4 | ``version`` |
/// | 8 | 4 | size of the metadata |
/// | 12 | 4 | size of the bytes |
/// | 16 | 8 | expiry in seconds since the reference date |
/// | 24 | 8 | ``Checksum`` of the fields above, of the rest, and of the name |
struct SharedValue: Equatable {
    static let magic: UInt32 = 0x4553_464B
    static let version: UInt32 = 1
    static let headerSize = 32
    /// The most that ``encoded(for:)`` adds to the bytes.
    static let maximalOverhead = headerSize + EntryMetadata.maximalSize

    let data: Data
    /// The encoded record of the HTTP response; empty for none.
    let metadata: Data
    /// Seconds since the reference date; infinite if the entry does not expire.
    let expiry: TimeInterval

    init(data: Data, metadata: Data, expiry: TimeInterval) {
        self.data = data
        self.metadata = metadata
        self.expiry = expiry
    }

    /// Parses a value; nil if it is not exactly a valid value of the name.
    init?(_ value: Data, name: String) {
        let parsed = value.withUnsafeBytes { bytes -> SharedValue? in
            guard bytes.count >= Self.headerSize else { return nil }
            let metadataCount = Int(bytes.number(at: 8) as UInt32)
            let dataCount = Int(bytes.number(at: 12) as UInt32)
            let expiry = TimeInterval(bitPattern: bytes.number(at: 16))
            // Two sizes of 32 bits cannot overflow.
            guard bytes.number(at: 0) == Self.magic, bytes.number(at: 4) == Self.version,
                metadataCount <= EntryMetadata.maximalSize, dataCount > 0, !expiry.isNaN,
                bytes.count == Self.headerSize + metadataCount + dataCount,
                bytes.number(at: 24) == Self.checksum(of: bytes, name: name)
            else { return nil }
            let rest = bytes[Self.headerSize...]
            return SharedValue(
                data: Data(rest.dropFirst(metadataCount)),
                metadata: Data(rest.prefix(metadataCount)),
                expiry: expiry
            )
        }
        guard let parsed else { return nil }
        self = parsed
    }

    /// The encoded value; nil if it is too large for the format.
    func encoded(for name: String) -> Data? {
        guard !data.isEmpty, metadata.count <= EntryMetadata.maximalSize,
            let dataCount = UInt32(exactly: data.count)
        else { return nil }
        var value = Data(capacity: Self.headerSize + metadata.count + data.count)
        value.append(Self.magic)
        value.append(Self.version)
        value.append(UInt32(metadata.count))
        value.append(dataCount)
        value.append(expiry.bitPattern)
        value.append(0 as UInt64)
        value.append(metadata)
        value.append(data)
        value.withUnsafeMutableBytes { bytes in
            let checksum = Self.checksum(of: UnsafeRawBufferPointer(bytes), name: name)
            bytes.storeBytes(of: checksum.littleEndian, toByteOffset: 24, as: UInt64.self)
        }
        return value
    }

    /// The checksum of a value that has at least a header.
    private static func checksum(of value: UnsafeRawBufferPointer, name: String) -> UInt64 {
        let rest = Checksum.of(UnsafeRawBufferPointer(rebasing: value[headerSize...]))
        var sealed = Data(value[..<24])
        sealed.append(rest)
        sealed.append(contentsOf: name.utf8)
        return Checksum.of(sealed)
    }
}

extension Data {
    fileprivate mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(
        _ number: Number
    ) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }
}
