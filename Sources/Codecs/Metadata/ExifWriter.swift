import FoundationEssentials

/// Writes a new Exif block of a few entries, in little-endian order.
///
/// Source: CIPA DC-008 (Exif 2.32), 4.6; TIFF 6.0, section 2.
struct ExifWriter {
    /// A tag with a text, or with a short number.
    struct Entry {
        let tag: Int
        /// 2 is ASCII, 3 is SHORT, 4 is LONG.
        let type: Int
        let count: Int
        let value: [UInt8]

        static func text(_ tag: Int, _ text: some Collection<UInt8>) -> Entry {
            Entry(tag: tag, type: 2, count: text.count, value: Array(text))
        }

        static func number(_ tag: Int, _ number: Int) -> Entry {
            let value = UntrustedBytes.number(number, count: 2, .little)
            return Entry(tag: tag, type: 3, count: 1, value: value)
        }

        /// A pointer to another directory.
        static func pointer(_ tag: Int, _ place: Int) -> Entry {
            let value = UntrustedBytes.number(place, count: 4, .little)
            return Entry(tag: tag, type: 4, count: 1, value: value)
        }
    }

    /// The first directory, and the one that its `0x8769` points to.
    var main: [Entry] = []
    var details: [Entry] = []

    /// The block; nil without entries.
    func block() -> Data? {
        guard !main.isEmpty || !details.isEmpty else { return nil }
        var main = main
        let size = { (count: Int) in 2 + count * 12 + 4 }
        let second = 8 + size(main.count + 1)
        if !details.isEmpty { main.append(.pointer(0x8769, second)) }
        let directories = details.isEmpty ? [main] : [main, details]
        var file = Data("II*\0".utf8)
        file.append(number: 8, bytes: 4, .little)
        let place = 8 + directories.reduce(0) { $0 + size($1.count) }
        var values = Data()
        for directory in directories {
            file.append(number: directory.count, bytes: 2, .little)
            // In the order of their numbers, as the format demands.
            for entry in directory.sorted(by: { $0.tag < $1.tag }) {
                file.append(number: entry.tag, bytes: 2, .little)
                file.append(number: entry.type, bytes: 2, .little)
                file.append(number: entry.count, bytes: 4, .little)
                // Four bytes at most are stored in the entry itself.
                guard entry.value.count > 4 else {
                    file.append(contentsOf: entry.value)
                    file.append(contentsOf: repeatElement(0, count: 4 - entry.value.count))
                    continue
                }
                file.append(number: place + values.count, bytes: 4, .little)
                values.append(contentsOf: entry.value)
                if entry.value.count % 2 == 1 { values.append(0) }
            }
            file.append(number: 0, bytes: 4, .little)
        }
        file.append(values)
        return file
    }
}
