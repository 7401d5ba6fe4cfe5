import FoundationEssentials

/// The places of items: the body of an `iloc` box.
///
/// Source: ISO/IEC 14496-12, 8.11.3.
struct ItemLocations {
    private(set) var bytes: Data
    private let version: Int
    /// The bytes of each number of an extent and of its base.
    private let offsetBytes: Int
    private let lengthBytes: Int
    private let baseBytes: Int
    private let indexBytes: Int
    private var count: Int

    /// An item, and where its pieces lie.
    struct Entry {
        let item: Int
        /// 0 counts from the beginning of the file, 1 from that of the `idat` box.
        let method: Int
        let base: Int
        /// The offset of each place in ``ItemLocations/bytes``, the place after the base, and the
        /// length of the piece.
        var pieces: [(offset: Int, place: Int, length: Int)] = []
    }

    init?(_ reader: ByteReader, _ box: AVIFBoxes.Box) {
        guard let version = reader.u8(at: box.body), version <= 2,
            let sizes = reader.u16(at: box.body + 4),
            let count = version < 2
                ? reader.u16(at: box.body + 6) : reader.u32(at: box.body + 6),
            let body = reader.slice(at: box.body, count: box.end - box.body)
        else { return nil }
        self.version = version
        self.count = count
        offsetBytes = sizes >> 12
        lengthBytes = sizes >> 8 & 15
        baseBytes = sizes >> 4 & 15
        indexBytes = version == 0 ? 0 : sizes & 15
        bytes = Data(body)
        let widths = [offsetBytes, lengthBytes, baseBytes, indexBytes]
        guard widths.allSatisfy([0, 4, 8].contains) else { return nil }
    }

    private var numberBytes: Int { version < 2 ? 2 : 4 }
    private var start: Int { 6 + numberBytes }
    private var headBytes: Int { numberBytes + (version == 0 ? 0 : 2) + 2 + baseBytes + 2 }

    /// The bytes of an item in one piece.
    var entryBytes: Int { headBytes + indexBytes + offsetBytes + lengthBytes }

    /// All items; nil if the box is cut off.
    var entries: [Entry]? {
        var entries: [Entry] = []
        var offset = start
        for _ in 0..<count {
            let end = offset + headBytes - 2
            guard let item = number(at: offset, numberBytes),
                let method = version == 0 ? 0 : number(at: offset + numberBytes, 2),
                let base = number(at: end - baseBytes, baseBytes),
                let pieces = number(at: end, 2)
            else { return nil }
            var entry = Entry(item: item, method: method & 15, base: base)
            offset = end + 2
            for _ in 0..<pieces {
                offset += indexBytes
                guard let place = number(at: offset, offsetBytes),
                    let length = number(at: offset + offsetBytes, lengthBytes)
                else { return nil }
                entry.pieces.append((offset, place, length))
                offset += offsetBytes + lengthBytes
            }
            entries.append(entry)
        }
        return offset == bytes.count ? entries : nil
    }

    /// Moves the places in the file, all from `start` on; false if one lies before, or does not
    /// fit.
    mutating func move(by distance: Int, from start: Int) -> Bool {
        guard offsetBytes > 0, lengthBytes > 0, let entries else { return false }
        // Others are relative to the box of data, or to another item.
        for entry in entries where entry.method == 0 {
            for piece in entry.pieces {
                guard entry.base + piece.place >= start,
                    set(piece.place + distance, at: piece.offset)
                else { return false }
            }
        }
        return true
    }

    /// Adds an item in one piece; false if the numbers do not fit.
    mutating func add(_ item: Int, _ place: Int, _ length: Int) -> Bool {
        guard count < 0xFFFF, fits(place, offsetBytes), fits(length, lengthBytes) else {
            return false
        }
        count += 1
        var head = Data(bytes.prefix(6))
        head.append(number: count, bytes: numberBytes)
        bytes = head + bytes.dropFirst(start)
        bytes.append(number: item, bytes: numberBytes)
        bytes.append(contentsOf: [UInt8](repeating: 0, count: headBytes - numberBytes - 2))
        bytes.append(number: 1, bytes: 2)
        bytes.append(contentsOf: [UInt8](repeating: 0, count: indexBytes))
        bytes.append(number: place, bytes: offsetBytes)
        bytes.append(number: length, bytes: lengthBytes)
        return true
    }

    private func fits(_ number: Int, _ count: Int) -> Bool {
        number >= 0 && number <= (count == 8 ? Int.max : 1 << (8 * count) - 1)
    }

    /// A number of up to 8 bytes; nil beyond the end, or if its sums could overflow.
    private func number(at offset: Int, _ count: Int) -> Int? {
        guard offset + count <= bytes.count else { return nil }
        let value = bytes[offset..<offset + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value < 1 << 48 ? Int(value) : nil
    }

    private mutating func set(_ number: Int, at offset: Int) -> Bool {
        guard fits(number, offsetBytes) else { return false }
        for index in 0..<offsetBytes {
            bytes[offset + index] = UInt8(
                truncatingIfNeeded: number >> (8 * (offsetBytes - 1 - index))
            )
        }
        return true
    }
}
