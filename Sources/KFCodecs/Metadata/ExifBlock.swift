import FoundationEssentials
import KFPixels

/// An Exif block that may be changed.
///
/// Source: CIPA DC-008 (Exif 2.32), 4.6; TIFF 6.0, section 2.
struct ExifBlock {
    /// A TIFF structure without the leading `Exif\0\0`.
    private var block: UntrustedBytes

    private enum Tag {
        static let imageWidth = 0x0100
        static let imageHeight = 0x0101
        static let (maker, model) = (0x010F, 0x0110)
        static let stripOffsets = 0x0111
        static let orientation = 0x0112
        static let stripLengths = 0x0117
        static let changed = 0x0132
        static let artist = 0x013B
        static let thumbnailOffset = 0x0201
        static let thumbnailLength = 0x0202
        static let copyright = 0x8298
        static let exifDirectory = 0x8769
        static let positionDirectory = 0x8825
        /// Taken and digitised, their zones, and their fractions of a second.
        static let dates = [0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9290, 0x9291, 0x9292]
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
    var copyright: Data? { rebuilt(names: true, dates: false, orientation: 1) }

    /// A new block with some of the texts, and nothing else of this one.
    ///
    /// - Parameters:
    ///   - names: Whether to keep the artist and the copyright.
    ///   - dates: Whether to keep when the photograph was taken, digitised and changed.
    ///   - orientation: Left out if it is 1.
    /// - Returns: The block; nil if nothing is in it.
    func rebuilt(names: Bool, dates: Bool, orientation: Int) -> Data? {
        guard let main = directory(at: 4) else { return nil }
        var writer = ExifWriter()
        if orientation != 1 { writer.main.append(.number(Tag.orientation, orientation)) }
        var wanted = names ? [Tag.artist, Tag.copyright] : []
        if dates { wanted.append(Tag.changed) }
        writer.main += texts(wanted, in: main)
        if dates, let entry = entry(Tag.exifDirectory, in: main),
            let details = directory(at: entry + 8)
        {
            writer.details = texts(Tag.dates, in: details)
        }
        return writer.block()
    }

    private func texts(_ tags: [Int], in directory: Directory) -> [ExifWriter.Entry] {
        tags.compactMap { tag in
            entry(tag, in: directory).flatMap(text).map { .text(tag, $0) }
        }
    }

    /// The block without the position, in as many bytes; nil if it has none.
    ///
    /// Everything else keeps its place, because maker notes contain offsets.
    var withoutPosition: Data? {
        guard let main = directory(at: 4), let place = entry(Tag.positionDirectory, in: main)
        else { return nil }
        var changed = self
        if let position = directory(at: place + 8) {
            for entry in position.entries { changed.clearValue(of: entry) }
            for entry in position.entries { changed.block.clear(at: entry, count: 12) }
        }
        // Parsed again: a hostile position may have overlapped the directory.
        guard let start = changed.block.u32(at: 4), let main = changed.directory(at: 4),
            let last = main.entries.last, main.entries.contains(place)
        else { return Data(count: block.count) }
        // The entries after it, and the pointer behind them, move up.
        let rest = Array(changed.block.bytes[(place + 12)..<min(last + 16, block.count)])
        changed.block.bytes.replaceSubrange(place..<place + rest.count, with: rest)
        changed.block.clear(at: place + rest.count, count: 12)
        changed.block.set(main.entries.count - 1, at: start, count: 2)
        return Data(changed.block.bytes)
    }

    /// Overwrites what an entry stores elsewhere.
    private mutating func clearValue(of entry: Int) {
        guard let size = ExifWriter.Entry.sizes[block.u16(at: entry + 2) ?? 0],
            let count = block.u32(at: entry + 4), count <= block.count, count * size > 4,
            let place = block.u32(at: entry + 8), place >= 8
        else { return }
        block.clear(at: place, count: count * size)
    }

    /// What the block says about the photograph.
    var facts: PhotographFacts {
        guard let main = directory(at: 4) else { return PhotographFacts() }
        let details = entry(Tag.exifDirectory, in: main).flatMap { directory(at: $0 + 8) }
        let place = entry(Tag.positionDirectory, in: main).flatMap { directory(at: $0 + 8) }
        let date = details.flatMap { string(Tag.dates[0], in: $0) } ?? string(Tag.changed, in: main)
        let model = [Tag.maker, Tag.model].compactMap { string($0, in: main) }
        var facts = PhotographFacts(date: date)
        // Many models begin with the name of their maker.
        if let maker = model.first, let last = model.last {
            facts.camera = last.hasPrefix(maker) ? last : "\(maker) \(last)"
        }
        if let place, let latitude = degrees(2, sign: 1, "S", in: place), abs(latitude) <= 90,
            let longitude = degrees(4, sign: 3, "W", in: place), abs(longitude) <= 180
        {
            facts.position = (latitude, longitude)
        }
        return facts
    }

    private func string(_ tag: Int, in directory: Directory) -> String? {
        let bytes = entry(tag, in: directory).flatMap(text)?.prefix { $0 != 0 }
        guard let bytes, let string = String(validating: bytes, as: UTF8.self) else { return nil }
        let trimmed = string.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
        return trimmed.isEmpty ? nil : String(trimmed)
    }

    /// Three rational numbers as degrees, negative beside one letter.
    private func degrees(
        _ tag: Int,
        sign: Int,
        _ negative: String,
        in directory: Directory
    ) -> Double? {
        guard let entry = entry(tag, in: directory), block.u16(at: entry + 2) == 5,
            block.u32(at: entry + 4) == 3, let place = block.u32(at: entry + 8)
        else { return nil }
        var sum = 0.0
        for (index, unit) in [1.0, 60, 3600].enumerated() {
            guard let top = block.u32(at: place + index * 8),
                let bottom = block.u32(at: place + index * 8 + 4)
            else { return nil }
            // Unused seconds are often 0/0.
            if bottom != 0 { sum += Double(top) / Double(bottom) / unit }
        }
        let letter = self.entry(sign, in: directory).flatMap { block.slice(at: $0 + 8, count: 1) }
        return letter?.elementsEqual(negative.utf8) == true ? -sum : sum
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
