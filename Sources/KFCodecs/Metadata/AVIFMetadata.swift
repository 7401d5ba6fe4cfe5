import FoundationEssentials
import KFPixels

/// Adds Exif and XMP to an AVIF as items that describe the image.
///
/// The `meta` box grows, which moves the data behind it; the offsets in `iloc` are adapted.
///
/// Source: ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, A.2.1 (Exif) and A.3 (XMP).
struct AVIFMetadata {
    private let reader: ByteReader
    private let meta: AVIFBoxes.Box
    private var children: [AVIFBoxes.Box] = []
    /// The number of the image.
    private let primary: Int

    /// An item to add.
    private struct Item {
        /// The entry after the item's number, and the bytes of the item.
        let description: Data
        let payload: Data
        var number = 0
    }

    /// The file with parts.
    ///
    /// - Parameters:
    ///   - parts: Exif and XMP; the others are left out.
    ///   - bytes: A still image, as this library writes it.
    /// - Returns: The file.
    /// - Throws: ``CodecError`` if the file is none, has Exif or XMP, or has another structure.
    static func written(
        _ parts: FileMetadata,
        to bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> Data {
        try BoxItems.check(bytes, .default)
        var items: [Item] = []
        if let exif = parts.exif {
            // The data begin with the distance to the TIFF structure.
            let payload = Data(count: 4) + exif
            items.append(Item(description: Data("\0\0Exif\0".utf8), payload: payload))
        }
        if let xmp = parts.xmp {
            let type = Data("\0\0mime\0application/rdf+xml\0".utf8)
            items.append(Item(description: type, payload: xmp))
        }
        guard !items.isEmpty else { return Data(bytes) }
        guard let file = AVIFMetadata(ByteReader(bytes, .big))?.adding(items) else {
            throw .unsupported(.avif, feature: "adding metadata to this file")
        }
        return file
    }

    private init?(_ reader: ByteReader) {
        self.reader = reader
        var (found, offset) = (AVIFBoxes.Box?.none, 0)
        while let box = AVIFBoxes.box(reader, at: offset, within: reader.count) {
            // The boxes of sequences have places, too, and one of an open end cannot be followed.
            guard reader.u32(at: box.type - 4) == box.end - box.type + 4,
                !reader.has("moov", at: box.type)
            else { return nil }
            if found == nil, reader.has("meta", at: box.type) { found = box }
            offset = box.end
        }
        guard let meta = found, offset == reader.count else { return nil }
        self.meta = meta
        offset = meta.body + 4
        var number: Int?
        while let box = AVIFBoxes.box(reader, at: offset, within: meta.end) {
            children.append(box)
            if reader.has("pitm", at: box.type) {
                number =
                    reader.u8(at: box.body) == 0
                    ? reader.u16(at: box.body + 4) : reader.u32(at: box.body + 4)
            }
            offset = box.end
        }
        guard let number, number <= Self.maxNumber, offset == meta.end else { return nil }
        primary = number
    }

    /// The largest number of an item in the forms of the boxes that are written here.
    private static let maxNumber = 0xFFFF

    private func child(_ name: StaticString) -> AVIFBoxes.Box? {
        children.first { reader.has(name, at: $0.type) }
    }

    private func adding(_ new: [Item]) -> Data? {
        guard let info = child("iinf"), let places = child("iloc"),
            var number = largestNumber(in: info)
        else { return nil }
        var items = new
        for index in items.indices {
            number += 1
            items[index].number = number
        }
        guard number <= Self.maxNumber, let infos = infos(info, adding: items),
            let references = references(adding: items),
            let locations = ItemLocations(reader, places)
        else { return nil }
        let growth =
            infos.count - size(info) + references.count - (child("iref").map(size) ?? 0)
            + items.count * locations.entryBytes
        // The data come last, in a box of their own.
        var place = reader.count + growth + 8
        var moved = locations
        guard moved.move(by: growth, from: meta.end) else { return nil }
        for item in items {
            guard moved.add(item.number, place, item.payload.count) else { return nil }
            place += item.payload.count
        }
        var body = copy(meta.body..<meta.body + 4)
        for box in children where !reader.has("iref", at: box.type) {
            if reader.has("iinf", at: box.type) {
                body += infos
            } else if reader.has("iloc", at: box.type) {
                body += Self.box("iloc", moved.bytes)
            } else {
                body += copy(box.type - 4..<box.end)
            }
        }
        body += references
        var file = copy(0..<meta.type - 4) + Self.box("meta", body)
        file += copy(meta.end..<reader.count)
        return file + Self.box("mdat", items.reduce(into: Data()) { $0 += $1.payload })
    }

    private func size(_ box: AVIFBoxes.Box) -> Int { box.end - box.type + 4 }

    private func copy(_ range: Range<Int>) -> Data {
        reader.slice(at: range.lowerBound, count: range.count).map { Data($0) } ?? Data()
    }

    private static func box(_ name: String, _ body: Data) -> Data {
        var box = Data()
        box.append(number: body.count + 8, bytes: 4)
        return box + Data(name.utf8) + body
    }

    /// The largest number of an item; nil if there are Exif or XMP already, or unknown entries.
    private func largestNumber(in info: AVIFBoxes.Box) -> Int? {
        var largest = primary
        var offset = info.body + (reader.u8(at: info.body) == 0 ? 6 : 8)
        while let entry = AVIFBoxes.box(reader, at: offset, within: info.end) {
            guard reader.u8(at: entry.body) == 2, let number = reader.u16(at: entry.body + 4),
                !reader.has("Exif", at: entry.body + 8), !reader.has("mime", at: entry.body + 8)
            else { return nil }
            largest = max(largest, number)
            offset = entry.end
        }
        return offset == info.end ? largest : nil
    }

    private func infos(_ info: AVIFBoxes.Box, adding items: [Item]) -> Data? {
        let isShort = reader.u8(at: info.body) == 0
        let place = info.body + 4
        guard let count = isShort ? reader.u16(at: place) : reader.u32(at: place),
            count + items.count <= Self.maxNumber
        else { return nil }
        var body = copy(info.body..<place)
        body.append(number: count + items.count, bytes: isShort ? 2 : 4)
        body += copy(place + (isShort ? 2 : 4)..<info.end)
        for item in items {
            var entry = Data([2, 0, 0, 0])
            entry.append(number: item.number, bytes: 2)
            body += Self.box("infe", entry + item.description)
        }
        return Self.box("iinf", body)
    }

    /// The references, with those that say what the items describe.
    private func references(adding items: [Item]) -> Data? {
        let former = child("iref")
        var body = former.map { copy($0.body..<$0.end) } ?? Data(count: 4)
        guard let version = body.first, version <= 1 else { return nil }
        let width = version == 0 ? 2 : 4
        for item in items {
            var entry = Data()
            entry.append(number: item.number, bytes: width)
            entry.append(number: 1, bytes: 2)
            entry.append(number: primary, bytes: width)
            body += Self.box("cdsc", entry)
        }
        return Self.box("iref", body)
    }
}
