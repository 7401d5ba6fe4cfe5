import FoundationEssentials
import Pixels

/// An Exif block that may be changed.
///
/// Source: CIPA DC-008 (Exif 2.32), 4.6; TIFF 6.0, section 2.
struct ExifBlock {
    /// A TIFF structure without the leading `Exif\0\0`.
    private var block: UntrustedBytes

    private enum Tag {
        static let imageWidth = 0x0100
        static let imageHeight = 0x0101
        static let stripOffsets = 0x0111
        static let orientation = 0x0112
        static let stripLengths = 0x0117
        static let artist = 0x013B
        static let thumbnailOffset = 0x0201
        static let thumbnailLength = 0x0202
        static let copyright = 0x8298
        static let exifDirectory = 0x8769
        static let width = 0xA002
        static let height = 0xA003
    }

    /// The most strips of a thumbnail, and the most bytes of a text: more are an attack.
    private static let (maxStrips, maxTextBytes) = (1000, 8192)

    /// Opens a block.
    ///
    /// - Parameter source: The block; a leading `Exif\0\0` is skipped. Nil if it is damaged.
    init?(_ source: Data) {
        block = UntrustedBytes(source)
        if block.has("Exif\0\0", at: 0) { block.bytes.removeFirst(6) }
        block.order = block.has("II", at: 0) ? .little : .big
        guard block.has("II", at: 0) || block.has("MM", at: 0), block.u16(at: 2) == 42,
            directory(at: 4) != nil
        else { return nil }
    }

    /// The block for an upright bitmap of another size; nil if it is damaged.
    ///
    /// Sets the orientation to 1, because the pixels have been turned, and the stated size to the
    /// new one. Removes the thumbnail, which shows the source before cropping or blurring. All else
    /// keeps its place, because maker notes contain offsets.
    func adapted(to size: PixelSize) -> Data? {
        var changed = self
        changed.removeThumbnail()
        // Parsed again: a hostile thumbnail may have overlapped the directory.
        guard let main = changed.directory(at: 4) else { return nil }
        changed.set(
            [Tag.orientation: 1, Tag.imageWidth: size.width, Tag.imageHeight: size.height],
            in: main
        )
        if let entry = changed.entry(Tag.exifDirectory, in: main),
            let details = changed.directory(at: entry + 8)
        {
            changed.set([Tag.width: size.width, Tag.height: size.height], in: details)
        }
        return Data(changed.block.bytes)
    }

    /// A new block with the artist and the copyright; nil if there are none.
    var copyright: Data? {
        guard let main = directory(at: 4) else { return nil }
        // In the order of their numbers, as the format demands.
        let texts = [Tag.artist, Tag.copyright].compactMap { tag in
            entry(tag, in: main).flatMap(text).map { (tag: tag, text: $0) }
        }
        guard !texts.isEmpty else { return nil }
        var file = Data("II*\0".utf8)
        file.append(number: 8, bytes: 4, .little)
        file.append(number: texts.count, bytes: 2, .little)
        // After the header, the count, the entries and the pointer to no other directory.
        var place = 8 + 2 + texts.count * 12 + 4
        for (tag, text) in texts {
            file.append(number: tag, bytes: 2, .little)
            // ASCII.
            file.append(number: 2, bytes: 2, .little)
            file.append(number: text.count, bytes: 4, .little)
            // Four bytes at most are stored in the entry itself.
            if text.count <= 4 {
                file.append(contentsOf: text + repeatElement(0, count: 4 - text.count))
            } else {
                file.append(number: place, bytes: 4, .little)
                place += text.count + text.count % 2
            }
        }
        file.append(number: 0, bytes: 4, .little)
        for (_, text) in texts where text.count > 4 {
            file.append(contentsOf: text + repeatElement(0, count: text.count % 2))
        }
        return file
    }

    // MARK: - Directories

    /// The entries' offsets, and the offset of the pointer to the next directory.
    private typealias Directory = (entries: [Int], next: Int)

    /// The directory to which the number at `pointer` points; nil unless it lies inside.
    private func directory(at pointer: Int) -> Directory? {
        guard let start = block.u32(at: pointer), start >= 8, let count = block.u16(at: start),
            count <= ContainerLimits.exifEntries,
            block.slice(at: start + 2, count: count * 12) != nil
        else { return nil }
        return ((0..<count).map { start + 2 + $0 * 12 }, start + 2 + count * 12)
    }

    private func entry(_ tag: Int, in directory: Directory) -> Int? {
        directory.entries.first { block.u16(at: $0) == tag }
    }

    /// Overwrites numbers in entries, whose types may be BYTE, SHORT or LONG.
    private mutating func set(_ values: [Int: Int], in directory: Directory) {
        for entry in directory.entries {
            guard let value = block.u16(at: entry).flatMap({ values[$0] }),
                let count = [1: 1, 3: 2, 4: 4][block.u16(at: entry + 2) ?? 0],
                value < 1 << (8 * count)
            else { continue }
            block.set(value, at: entry + 8, count: count)
        }
    }

    /// The text of an entry with the zeros at its end; nil unless it is one and lies inside.
    private func text(of entry: Int) -> ArraySlice<UInt8>? {
        // ASCII, and UTF-8 since Exif 3.0.
        guard let type = block.u16(at: entry + 2), type == 2 || type == 129,
            let count = block.u32(at: entry + 4), (1...Self.maxTextBytes).contains(count)
        else { return nil }
        let place = count <= 4 ? entry + 8 : block.u32(at: entry + 8)
        guard let text = place.flatMap({ block.slice(at: $0, count: count) }),
            text.contains(where: { $0 > 32 })
        else { return nil }
        return text
    }

    // MARK: - Thumbnails

    private mutating func removeThumbnail() {
        guard let main = directory(at: 4), let pointer = block.u32(at: main.next), pointer != 0
        else { return }
        let second = directory(at: main.next)
        block.set(0, at: main.next, count: 4)
        // A directory that follows itself has no thumbnail.
        guard let second, second.next != main.next, let first = second.entries.first else { return }
        // Collected before anything is erased, since ranges of a hostile file overlap.
        var ranges = [(offset: first, length: second.entries.count * 12)]
        for (offsets, lengths) in [
            (Tag.thumbnailOffset, Tag.thumbnailLength), (Tag.stripOffsets, Tag.stripLengths),
        ] {
            ranges += zip(numbers(offsets, in: second), numbers(lengths, in: second))
                .map { (offset: $0, length: $1) }
        }
        // From the end, so that what lies there can be cut off. Each byte once, since the strips of a
        // hostile file may all be as large as the file.
        var end = block.count
        for (offset, length) in ranges.sorted(by: { $0.offset > $1.offset }) where offset >= 8 {
            block.erase(at: offset, count: min(length, end - offset))
            end = min(end, offset)
        }
    }

    /// The numbers of an entry, of type SHORT or LONG.
    private func numbers(_ tag: Int, in directory: Directory) -> [Int] {
        guard let entry = entry(tag, in: directory),
            let size = [3: 2, 4: 4][block.u16(at: entry + 2) ?? 0],
            let count = block.u32(at: entry + 4), (1...Self.maxStrips).contains(count),
            let place = count * size <= 4 ? entry + 8 : block.u32(at: entry + 8),
            block.slice(at: place, count: count * size) != nil
        else { return [] }
        return (0..<count).compactMap {
            size == 2 ? block.u16(at: place + $0 * 2) : block.u32(at: place + $0 * 4)
        }
    }
}
