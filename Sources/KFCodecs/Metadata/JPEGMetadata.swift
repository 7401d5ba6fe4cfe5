import FoundationEssentials

/// The metadata in the application segments of a JPEG.
///
/// Source: ITU-T T.81, annex B; CIPA DC-008 (Exif 2.32), 4.7; Adobe, XMP Specification Part 3,
/// 1.1.3; ICC.1:2010, annex B.4.
enum JPEGMetadata {
    private static let exifName: StaticString = "Exif\0\0"
    private static let xmpName: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    private static let moreXMPName: StaticString = "http://ns.adobe.com/xmp/extension/\0"
    private static let profileName: StaticString = "ICC_PROFILE\0"
    /// A segment without its length, the name, and the numbers of the piece and of all pieces.
    static let profilePieceBytes = 65_519

    /// Reads the parts before the first scan.
    ///
    /// An XMP packet has one segment; the rest of a larger one, in segments of its own, is left out.
    static func read(_ bytes: UnsafeRawBufferPointer) -> FileMetadata {
        var parts = FileMetadata()
        var resources = Data()
        walk(bytes) { marker, _, body in
            switch kind(marker, body) {
            case .exif where parts.exif == nil: parts.exif = body.rest(after: exifName)
            case .xmp where parts.xmp == nil: parts.xmp = body.rest(after: xmpName)
            case .iptc:
                // Several segments continue one list.
                let room = FileMetadata.maxByteCount - resources.count
                if let rest = body.rest(after: IPTCDatasets.segmentName), rest.count <= room {
                    resources.append(rest)
                }
            default: break
            }
        }
        parts.iptc = IPTCDatasets.read(resources: resources)
        return parts
    }

    /// The file with parts, each of which fits in its segments.
    static func written(_ parts: FileMetadata, to bytes: UnsafeRawBufferPointer) -> Data {
        var replaced: [Range<Int>] = []
        // After the JFIF segment, which has to be the first.
        var place = 2
        walk(bytes) { marker, segment, body in
            if marker == 0xE0, segment.lowerBound == place { place = segment.upperBound }
            // The rest of a packet is of no use without its beginning.
            let isMoreXMP = marker == 0xE1 && body.has(moreXMPName, at: 0)
            if let part = isMoreXMP ? .xmp : kind(marker, body), parts.byteCount(of: part) != nil {
                replaced.append(segment)
            }
        }
        var added = Data()
        if let exif = parts.exif { added.append(segment(0xE1, exifName, exif)) }
        if let xmp = parts.xmp { added.append(segment(0xE1, xmpName, xmp)) }
        if let iptc = parts.iptc {
            let resources = IPTCDatasets.resources(iptc)
            added.append(segment(0xED, IPTCDatasets.segmentName, resources))
        }
        if let profile = parts.profile { added.append(segments(ofProfile: profile)) }
        return Data(bytes, inserting: added, at: place, without: replaced)
    }

    /// The file without positions, also those of further images behind the first one; nil if there
    /// are none.
    ///
    /// Segments keep their lengths, because tables of further images contain offsets. Compressed
    /// pixels never contain the bytes of a marker.
    static func withoutPosition(_ file: Data) -> Data? {
        var changed: [UInt8] = []
        var found = false
        file.withUnsafeBytes { bytes in
            changed = Array(bytes)
            let reader = ByteReader(bytes, .big)
            var offset = 2
            while offset + 4 <= bytes.count {
                guard bytes[offset] == 0xFF, bytes[offset + 1] == 0xE1,
                    let length = reader.u16(at: offset + 2), length >= 2,
                    let content = reader.slice(at: offset + 4, count: length - 2)
                else {
                    offset += 1
                    continue
                }
                let body = ByteReader(content, .big)
                if let exif = body.rest(after: exifName),
                    let rest = MetadataRemoval.withoutPosition(exif: exif)
                {
                    let end = offset + 2 + length
                    changed.replaceSubrange(end - rest.count..<end, with: rest)
                    found = true
                } else if let xmp = body.rest(after: xmpName),
                    let rest = MetadataRemoval.withoutPosition(xmp: xmp)
                {
                    let end = offset + 2 + length
                    changed.replaceSubrange(end - rest.count..<end, with: rest)
                    found = true
                } else if let more = body.rest(after: moreXMPName),
                    more.firstRange(of: Data("GPS".utf8)) != nil
                {
                    // A piece of a packet, which cannot be changed alone.
                    let end = offset + 2 + length
                    let spaces = repeatElement(UInt8(ascii: " "), count: more.count)
                    changed.replaceSubrange(end - more.count..<end, with: spaces)
                    found = true
                }
                offset += 2 + length
            }
        }
        return found ? Data(changed) : nil
    }

    /// The file without metadata, comments, previews and further images, but with its profile.
    ///
    /// An application segment or comment that is cut off is left out, with the rest of the file.
    ///
    /// - Throws: ``CodecError/corrupt(_:detail:)`` for other segments that are cut off, and for too
    ///   many.
    static func bare(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> Data {
        let reader = ByteReader(bytes, .big)
        var (file, copied, offset, count) = (Data(), 0, 2, 0)
        while let marker = JPEGHeader.nextMarker(reader, &offset), marker != 0xD9 {
            // Restarts, and markers without a length.
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            count += 1
            guard count <= JPEGHeader.maxSegmentCount else {
                throw .corrupt(.jpeg, detail: "more than \(JPEGHeader.maxSegmentCount) segments")
            }
            guard let length = reader.u16(at: offset), length >= 2,
                let content = reader.slice(at: offset + 2, count: length - 2)
            else {
                // What follows could be pixels.
                guard (0xE0...0xEF).contains(marker) || marker == 0xFE else {
                    throw .corrupt(.jpeg, detail: "a segment is cut off")
                }
                offset -= 2
                break
            }
            if let kept = kept(marker, ByteReader(content, .big)) {
                file.append(contentsOf: bytes[copied..<offset - 2])
                file.append(kept)
                copied = offset + length
            }
            offset += length
        }
        file.append(contentsOf: bytes[copied..<min(offset, bytes.count)])
        return file
    }

    /// What remains of a segment; nil if it stays as it is.
    private static func kept(_ marker: Int, _ body: ByteReader) -> Data? {
        switch marker {
        // JFIF without its preview, and the colours that Adobe's programs state.
        case 0xE0 where body.has("JFIF\0", at: 0) && body.count >= 14:
            body.count == 14
                ? nil : segment(0xE0, "", Data(body.bytes[..<12]) + Data([0, 0]))
        case 0xEE where body.has("Adobe", at: 0) && body.count >= 12:
            body.count == 12 ? nil : segment(0xEE, "", Data(body.bytes[..<12]))
        case 0xE2 where body.has(profileName, at: 0): nil
        case 0xE0...0xEF, 0xFE: Data()
        default: nil
        }
    }

    /// The bytes behind the image: further images, maps of light, or a film.
    ///
    /// 0 if all of them are zeros, with which some cameras fill the file.
    static func bytesBehindImage(_ bytes: UnsafeRawBufferPointer) -> Int {
        let rest = bytes[endOfImage(bytes, from: 2)...]
        return rest.contains { $0 != 0 } ? rest.count : 0
    }

    /// The offset behind the image, from a segment on.
    private static func endOfImage(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let reader = ByteReader(bytes, .big)
        var offset = start
        while let marker = JPEGHeader.nextMarker(reader, &offset) {
            if marker == 0xD9 { return offset }
            // Restarts, and markers without a length.
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            guard let length = reader.u16(at: offset) else { break }
            offset = min(offset + max(2, length), bytes.count)
        }
        return bytes.count
    }

    /// Calls `visit` with every segment before the first scan.
    private static func walk(
        _ bytes: UnsafeRawBufferPointer,
        _ visit: (_ marker: Int, _ segment: Range<Int>, _ body: ByteReader) -> Void
    ) {
        let reader = ByteReader(bytes, .big)
        var offset = 2
        for _ in 0..<JPEGHeader.maxSegmentCount {
            guard let marker = JPEGHeader.nextMarker(reader, &offset), marker != 0xDA,
                marker != 0xD9
            else { return }
            // Markers without a length: restarts and TEM.
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            guard let length = reader.u16(at: offset),
                let body = reader.slice(at: offset + 2, count: max(0, length - 2))
            else { return }
            let end = offset + max(2, length)
            visit(marker, offset - 2..<end, ByteReader(body, .big))
            offset = end
        }
    }

    private static func kind(_ marker: Int, _ body: ByteReader) -> MetadataPart? {
        switch marker {
        case 0xE1 where body.has(exifName, at: 0): .exif
        case 0xE1 where body.has(xmpName, at: 0): .xmp
        case 0xED where body.has(IPTCDatasets.segmentName, at: 0): .iptc
        case 0xE2 where body.has(profileName, at: 0): .profile
        default: nil
        }
    }

    private static func segment(_ marker: UInt8, _ name: StaticString, _ body: Data) -> Data {
        let name = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        var segment = Data([0xFF, marker])
        // The length counts itself.
        segment.append(number: 2 + name.count + body.count, bytes: 2)
        segment.append(contentsOf: name)
        segment.append(body)
        return segment
    }

    private static func segments(ofProfile profile: Data) -> Data {
        let count = (profile.count + profilePieceBytes - 1) / profilePieceBytes
        return (0..<count).reduce(into: Data()) { result, index in
            var piece = Data([UInt8(index + 1), UInt8(count)])
            piece.append(profile.dropFirst(index * profilePieceBytes).prefix(profilePieceBytes))
            result.append(segment(0xE2, profileName, piece))
        }
    }
}

extension ByteReader {
    /// The bytes after a name; nil if there are none.
    fileprivate func rest(after name: StaticString) -> Data? {
        let count = name.utf8CodeUnitCount
        return slice(at: count, count: self.count - count).flatMap { $0.isEmpty ? nil : Data($0) }
    }
}
