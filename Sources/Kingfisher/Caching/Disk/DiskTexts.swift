import Foundation

/// The names and keys of a disk index in one contiguous buffer.
///
/// Separate strings would take about fifty bytes each. A name that begins with a hexadecimal
/// SHA-256, such as that of a hashed key, is stored in half of its size.
struct DiskTexts: Sendable {
    /// The location of an entry's texts.
    struct Place: Sendable {
        fileprivate(set) var start: Int
        fileprivate var keyBytes: UInt32
        /// The lowest bit indicates whether the name begins with a digest.
        fileprivate var nameBytes: UInt16

        fileprivate init(start: Int, nameCount: Int, isDigest: Bool, keyCount: Int) {
            self.start = start
            keyBytes = UInt32(keyCount)
            nameBytes = UInt16(nameCount << 1 | (isDigest ? 1 : 0))
        }

        var keyCount: Int { Int(keyBytes) }
        fileprivate var nameCount: Int { Int(nameBytes >> 1) }
        fileprivate var isDigest: Bool { nameBytes & 1 != 0 }
        fileprivate var count: Int { keyCount + nameCount }
    }

    private static let digestSize = 32

    private var bytes: ContiguousArray<UInt8> = []
    /// The bytes of removed texts.
    private var garbage = 0

    /// Whether removed texts take more space than the remaining ones.
    var isMostlyGarbage: Bool { garbage > 65_536 && 2 * garbage > bytes.count }

    /// An empty buffer with room for the remaining texts.
    var successor: DiskTexts {
        var texts = DiskTexts()
        texts.reserve(bytes.count - garbage)
        return texts
    }

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func append(name: String, key: String) -> Place {
        let start = bytes.count
        let isDigest = Self.withPacked(name) { packed, isDigest in
            bytes.append(contentsOf: packed)
            return isDigest
        }
        let end = bytes.count
        bytes.append(contentsOf: key.utf8)
        return Place(
            start: start,
            nameCount: end - start,
            isDigest: isDigest,
            keyCount: bytes.count - end
        )
    }

    /// Appends texts from another buffer.
    mutating func append(_ place: Place, of other: DiskTexts) -> Place {
        var copy = place
        copy.start = bytes.count
        bytes.append(contentsOf: other.bytes[place.start..<(place.start + place.count)])
        return copy
    }

    mutating func remove(_ place: Place) { garbage += place.count }

    func name(at place: Place) -> String {
        withBytes(of: place) { text in
            let name = UnsafeRawBufferPointer(rebasing: text.prefix(place.nameCount))
            guard place.isDigest else { return String(decoding: name, as: UTF8.self) }
            let digest = UnsafeRawBufferPointer(rebasing: name.prefix(Self.digestSize))
            let rest = UnsafeRawBufferPointer(rebasing: name.dropFirst(Self.digestSize))
            return Hexadecimal.text(of: digest) + String(decoding: rest, as: UTF8.self)
        }
    }

    func key(at place: Place) -> String {
        withBytes(of: place) { text -> String in
            let key = UnsafeRawBufferPointer(rebasing: text.dropFirst(place.nameCount))
            return String(decoding: key, as: UTF8.self)
        }
    }

    /// The length of a name in bytes, as it counts for the file system.
    func nameLength(at place: Place) -> Int {
        place.nameCount + (place.isDigest ? Self.digestSize : 0)
    }

    func hash(at place: Place) -> Int {
        withBytes(of: place) { text in
            KeyHash.of(UnsafeRawBufferPointer(rebasing: text.prefix(place.nameCount)))
        }
    }

    func hasKey(_ key: String, at place: Place) -> Bool {
        var key = key
        return key.withUTF8 { key in
            guard place.keyCount == key.count else { return false }
            return withBytes(of: place) { text in
                Self.areEqual(text.dropFirst(place.nameCount), UnsafeRawBufferPointer(key))
            }
        }
    }

    /// Calls `body` with the hash of a name and a test whether a location holds that name.
    func withName<Result>(
        _ name: String,
        _ body: (_ hash: Int, _ isAt: (Place) -> Bool) -> Result
    ) -> Result {
        Self.withPacked(name) { packed, isDigest in
            body(KeyHash.of(packed)) { place in
                guard place.nameCount == packed.count, place.isDigest == isDigest else {
                    return false
                }
                return withBytes(of: place) { Self.areEqual($0.prefix(packed.count), packed) }
            }
        }
    }

    private static func areEqual(
        _ text: Slice<UnsafeRawBufferPointer>,
        _ other: UnsafeRawBufferPointer
    ) -> Bool {
        let text = UnsafeRawBufferPointer(rebasing: text)
        guard let start = text.baseAddress, let otherStart = other.baseAddress else {
            return text.isEmpty && other.isEmpty
        }
        return text.count == other.count && memcmp(start, otherStart, text.count) == 0
    }

    private func withBytes<Result>(
        of place: Place,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { bytes in
            body(UnsafeRawBufferPointer(rebasing: bytes[place.start..<(place.start + place.count)]))
        }
    }

    /// Calls `body` with the stored form of a name, and whether that begins with a digest.
    private static func withPacked<Result>(
        _ name: String,
        _ body: (UnsafeRawBufferPointer, Bool) -> Result
    ) -> Result {
        var name = name
        return name.withUTF8 { text in
            let text = UnsafeRawBufferPointer(text)
            guard text.count >= 2 * digestSize else { return body(text, false) }
            let size = text.count - digestSize
            return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { packed in
                let (digits, rest) = (text.prefix(2 * digestSize), text.dropFirst(2 * digestSize))
                guard Hexadecimal.read(UnsafeRawBufferPointer(rebasing: digits), into: packed)
                else { return body(text, false) }
                UnsafeMutableRawBufferPointer(rebasing: packed[digestSize...])
                    .copyBytes(from: rest)
                return body(UnsafeRawBufferPointer(packed), true)
            }
        }
    }
}
