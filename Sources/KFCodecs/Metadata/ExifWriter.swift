import FoundationEssentials

/// Writes a new Exif block.
///
/// Source: CIPA DC-008 (Exif 2.32), 4.6; TIFF 6.0, section 2.
struct ExifWriter {
    /// A tag with its value.
    struct Entry {
        /// The bytes of a number of each type.
        ///
        /// 2 is ASCII, 3 is SHORT, 4 is LONG.
        static let sizes = [
            1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8,
        ]

        let tag: Int
        let type: Int
        let count: Int
        /// In the order of the block.
        let value: [UInt8]

        static func text(_ tag: Int, _ text: some Collection<UInt8>) -> Entry {
            Entry(tag: tag, type: 2, count: text.count, value: Array(text))
        }

        /// A short number, in little-endian order.
        static func number(_ tag: Int, _ number: Int) -> Entry {
            let value = UntrustedBytes.number(number, count: 2, .little)
            return Entry(tag: tag, type: 3, count: 1, value: value)
        }

        /// A pointer to another directory.
        fileprivate static func pointer(
            _ tag: Int,
            _ place: Int,
            _ order: ByteReader.Endianness
        ) -> Entry {
            let value = UntrustedBytes.number(place, count: 4, order)
            return Entry(tag: tag, type: 4, count: 1, value: value)
        }
    }

    var order = ByteReader.Endianness.little
    /// The first directory, and those that its `0x8769` and its `0x8825` point to.
    var main: [Entry] = []
    var details: [Entry] = []
    var position: [Entry] = []

    /// The block; nil without entries.
    func block() -> Data? {
        let others = [(0x8769, details), (0x8825, position)].filter { !$0.1.isEmpty }
        guard !main.isEmpty || !others.isEmpty else { return nil }
        let size = { (count: Int) in 2 + count * 12 + 4 }
        var directories = [main]
        var place = 8 + size(main.count + others.count)
        for (tag, entries) in others {
            directories[0].append(.pointer(tag, place, order))
            directories.append(entries)
            place += size(entries.count)
        }
        var file = Data((order == .little ? "II" : "MM").utf8)
        file.append(number: 42, bytes: 2, order)
        file.append(number: 8, bytes: 4, order)
        var values = Data()
        for directory in directories {
            file.append(number: directory.count, bytes: 2, order)
            // In the order of their numbers, as the format demands.
            for entry in directory.sorted(by: { $0.tag < $1.tag }) {
                file.append(number: entry.tag, bytes: 2, order)
                file.append(number: entry.type, bytes: 2, order)
                file.append(number: entry.count, bytes: 4, order)
                // Four bytes at most are stored in the entry itself.
                guard entry.value.count > 4 else {
                    file.append(contentsOf: entry.value)
                    file.append(contentsOf: repeatElement(0, count: 4 - entry.value.count))
                    continue
                }
                file.append(number: place + values.count, bytes: 4, order)
                values.append(contentsOf: entry.value)
                if entry.value.count % 2 == 1 { values.append(0) }
            }
            file.append(number: 0, bytes: 4, order)
        }
        file.append(values)
        return file
    }
}
