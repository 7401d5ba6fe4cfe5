import Foundation

/// An Exif block, changed so that it describes another bitmap.
///
/// Source: CIPA DC-008 (Exif 2.32), 4.6; TIFF 6.0, section 2.
struct ExifBlock {
    /// A TIFF structure without the leading `Exif\0\0`.
    let bytes: [UInt8]

    private enum Tag {
        static let orientation = 0x0112
        static let thumbnailOffset = 0x0201
        static let thumbnailLength = 0x0202
        static let exifDirectory = 0x8769
        static let width = 0xA002
        static let height = 0xA003
    }

    /// Adapts the block of a source to an upright bitmap of another size.
    ///
    /// Sets the orientation to 1, because the pixels have been turned, and the stated size to the
    /// new one. Removes the thumbnail, which shows the source before cropping or blurring. Nil if
    /// the block is damaged.
    ///
    /// - Parameters:
    ///   - source: The block; a leading `Exif\0\0` is skipped.
    ///   - width: The width of the new bitmap in pixels.
    ///   - height: The height of the new bitmap in pixels.
    init?(of source: some Sequence<UInt8>, width: Int, height: Int) {
        var block = UntrustedBytes(source)
        if block.has("Exif\0\0", at: 0) { block.bytes.removeFirst(6) }
        block.isLittleEndian = block.has("II", at: 0)
        guard block.isLittleEndian || block.has("MM", at: 0), block.u16(at: 2) == 42,
            Self.directory(at: 4, of: block) != nil
        else { return nil }
        Self.removeThumbnail(from: &block)
        // Parsed again: a hostile thumbnail may have overlapped the directory.
        guard let main = Self.directory(at: 4, of: block) else { return nil }
        for entry in main.entries where block.u16(at: entry) == Tag.orientation {
            Self.set(1, at: entry, of: &block)
        }
        if let entry = Self.entry(Tag.exifDirectory, in: main, of: block),
            let details = Self.directory(at: entry + 8, of: block)
        {
            for entry in details.entries {
                switch block.u16(at: entry) {
                case Tag.width: Self.set(width, at: entry, of: &block)
                case Tag.height: Self.set(height, at: entry, of: &block)
                default: break
                }
            }
        }
        bytes = block.bytes
    }

    /// The entries' offsets, and the offset of the pointer to the next directory.
    private typealias Directory = (entries: [Int], next: Int)

    /// The directory to which the number at `pointer` points; nil unless it lies inside.
    private static func directory(at pointer: Int, of block: UntrustedBytes) -> Directory? {
        guard let start = block.u32(at: pointer), start >= 8, let count = block.u16(at: start),
            block.slice(at: start + 2, count: count * 12) != nil
        else { return nil }
        return ((0..<count).map { start + 2 + $0 * 12 }, start + 2 + count * 12)
    }

    private static func entry(
        _ tag: Int,
        in directory: Directory,
        of block: UntrustedBytes
    ) -> Int? {
        directory.entries.first { block.u16(at: $0) == tag }
    }

    private static func removeThumbnail(from block: inout UntrustedBytes) {
        guard let main = directory(at: 4, of: block), let pointer = block.u32(at: main.next),
            pointer != 0
        else { return }
        let second = directory(at: main.next, of: block)
        block.set(0, at: main.next, count: 4)
        guard let second,
            let offset = entry(Tag.thumbnailOffset, in: second, of: block)
                .flatMap({ block.u32(at: $0 + 8) }),
            let length = entry(Tag.thumbnailLength, in: second, of: block)
                .flatMap({ block.u32(at: $0 + 8) }),
            offset < block.count
        else { return }
        let end = min(block.count, offset + length)
        if end == block.count {
            block.bytes.removeLast(end - offset)
        } else {
            block.bytes.replaceSubrange(
                offset..<end,
                with: repeatElement(0, count: end - offset)
            )
        }
    }

    /// Overwrites a number in an entry, whose type may be BYTE, SHORT or LONG.
    private static func set(_ value: Int, at entry: Int, of block: inout UntrustedBytes) {
        guard let count = [1: 1, 3: 2, 4: 4][block.u16(at: entry + 2) ?? 0],
            value < 1 << (8 * count)
        else { return }
        block.set(value, at: entry + 8, count: count)
    }
}
