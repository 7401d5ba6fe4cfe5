import FoundationEssentials

/// The metadata of a TIFF, whose directories hold what other formats embed as a block.
///
/// Source: TIFF 6.0, section 2; CIPA DC-008 (Exif 2.32), 4.6; ISO 16684-1 (XMP); TIFF/EP (IPTC).
struct TIFFMetadata {
    private enum Tag {
        /// Texts, and the orientation: nothing about the size and the places of pixels.
        static let described: Set<Int> = [
            0x010E, 0x010F, 0x0110, 0x0112, 0x0131, 0x0132, 0x013B, 0x013C, 0x8298,
        ]
        static let (details, position) = (0x8769, 0x8825)
        static let (xmp, iptc, photoshop) = (0x02BC, 0x83BB, 0x8649)
        static let furtherDirectories = 0x014A
        /// Where a map lies, and texts of programs for maps.
        static let maps: Set<Int> = [
            0x830E, 0x8480, 0x8482, 0x85D8, 0x87AF, 0x87B0, 0x87B1, 0xA480, 0xA481,
        ]
        /// The form of the pixels and their places, their colours, and the orientation.
        static let pixels: Set<Int> = [
            0x00FE, 0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x0107, 0x010A, 0x0111, 0x0112, 0x0115,
            0x0116, 0x0117, 0x0118, 0x0119, 0x011A, 0x011B, 0x011C, 0x0122, 0x0123, 0x0124, 0x0125,
            0x0128, 0x012D, 0x013D, 0x013E, 0x013F, 0x0140, 0x0142, 0x0143, 0x0144, 0x0145, 0x014C,
            0x0152, 0x0153, 0x0154, 0x0155, 0x015B, 0x0211, 0x0212, 0x0213, 0x0214, 0x8773,
        ]
        /// Maker notes and the directory of compatibility contain offsets, which would be wrong.
        static let unmovable: Set<Int> = [0x927C, 0xA005]
    }

    private let reader: ByteReader

    /// Opens a file.
    init(_ bytes: UnsafeRawBufferPointer) {
        let isLittle = ByteReader(bytes, .big).has("II", at: 0)
        reader = ByteReader(bytes, isLittle ? .little : .big)
    }

    /// The parts of the first image; damaged ones are left out.
    ///
    /// Exif is a new block of the entries that describe the image, without maker notes.
    func read() -> FileMetadata {
        let main = directory(at: 4).entries
        return FileMetadata(
            exif: exif(main),
            xmp: value(of: Tag.xmp, in: main),
            iptc: value(of: Tag.iptc, in: main)
        )
    }

    /// Whether the file has no entry that could be metadata, and no further image with some.
    var isPlain: Bool { hasOnly { Tag.pixels.contains($0) } }

    /// Whether the file has no entry that could hold a position, and no further image with one.
    var hasNoPosition: Bool {
        let others = Tag.maps.union([Tag.position, Tag.xmp, Tag.furtherDirectories])
        return hasOnly { !others.contains($0) }
    }

    private func hasOnly(_ isAllowed: (_ tag: Int) -> Bool) -> Bool {
        let main = directory(at: 4)
        return reader.u32(at: main.next) == 0
            && main.entries.allSatisfy { isAllowed(reader.u16(at: $0) ?? 0) }
    }

    private func exif(_ main: [Int]) -> Data? {
        // The values of a hostile file may all be the same megabyte.
        var room = FileMetadata.maxByteCount
        var writer = ExifWriter(order: reader.endianness)
        let described = main.filter { Tag.described.contains(reader.u16(at: $0) ?? 0) }
        writer.main = entries(described, &room)
        writer.details = entries(below: Tag.details, in: main, &room)
        writer.position = entries(below: Tag.position, in: main, &room)
        return room >= 0 ? writer.block() : nil
    }

    private func entries(below tag: Int, in main: [Int], _ room: inout Int) -> [ExifWriter.Entry] {
        guard let pointer = main.first(where: { reader.u16(at: $0) == tag }) else { return [] }
        return entries(directory(at: pointer + 8).entries, &room)
            .filter { !Tag.unmovable.contains($0.tag) }
    }

    /// The entries that are whole, until there is no more room.
    private func entries(_ places: [Int], _ room: inout Int) -> [ExifWriter.Entry] {
        var entries: [ExifWriter.Entry] = []
        for place in places where room >= 0 {
            guard let entry = entry(at: place) else { continue }
            room -= entry.value.count
            entries.append(entry)
        }
        return entries
    }

    /// The content of an entry of bytes; nil if it is missing or damaged.
    private func value(of tag: Int, in main: [Int]) -> Data? {
        main.first { reader.u16(at: $0) == tag }.flatMap(entry).map { Data($0.value) }
    }

    /// The offsets of a directory's entries, and that of the pointer to the next one.
    ///
    /// Empty unless it lies inside.
    private func directory(at pointer: Int) -> (entries: [Int], next: Int) {
        guard let start = reader.u32(at: pointer), start >= 8, let count = reader.u16(at: start),
            count <= ContainerLimits.exifEntries,
            reader.slice(at: start + 2, count: count * 12) != nil
        else { return ([], -1) }
        return ((0..<count).map { start + 2 + $0 * 12 }, start + 2 + count * 12)
    }

    /// The entry at an offset with its value; nil if that is too large, or does not lie inside.
    private func entry(at place: Int) -> ExifWriter.Entry? {
        guard let tag = reader.u16(at: place), let type = reader.u16(at: place + 2),
            let size = ExifWriter.Entry.sizes[type], let count = reader.u32(at: place + 4),
            (1...FileMetadata.maxByteCount / size).contains(count),
            let start = count * size <= 4 ? place + 8 : reader.u32(at: place + 8),
            let value = reader.slice(at: start, count: count * size)
        else { return nil }
        return ExifWriter.Entry(tag: tag, type: type, count: count, value: Array(value))
    }
}
