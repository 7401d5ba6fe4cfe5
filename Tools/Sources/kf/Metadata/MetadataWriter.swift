import Foundation
import Kingfisher

/// Adds metadata to a file that this tool has encoded.
///
/// Its pixels are upright and in sRGB, whatever the source was. So the profile of a source is
/// replaced by that of sRGB. AVIF and GIF need none: AVIF states sRGB in its header, and GIF means
/// it.
struct MetadataWriter {
    private let file: Data
    private let info: ImageFileInfo
    private let exif: [UInt8]?
    private let hasProfile: Bool

    /// Prepares the metadata of a source for an encoded file.
    ///
    /// A damaged Exif block is left out.
    ///
    /// - Throws: An `ImageFileInfo.Failure` if the file has no header.
    init(_ file: Data, metadata: SourceMetadata) throws {
        self.file = file
        info = try ImageFileInfo(data: file)
        let (width, height) = (Int(info.size.width), Int(info.size.height))
        exif = metadata.exif.flatMap { ExifBlock(of: $0, width: width, height: height)?.bytes }
        hasProfile = metadata.hasProfile
    }

    /// The file with the metadata.
    ///
    /// - Throws: A ``Failure`` if the format cannot hold it.
    func written(as format: PictureFormat) throws -> Data {
        guard exif != nil || hasProfile else { return file }
        switch format {
        case .jpeg: return try jpeg()
        case .png: return png()
        case .webp: return try webP()
        case .avif, .gif:
            guard exif == nil else {
                throw Failure("\(format.rawValue) files carry no exif; leave it out of --keep")
            }
            return file
        }
    }

    // MARK: - Formats

    private func jpeg() throws -> Data {
        let source = UntrustedBytes(file)
        var segments = Data()
        if let exif { segments += try Self.segment(0xE1, Array("Exif\0\0".utf8) + exif) }
        if hasProfile {
            // The numbers of the piece and of all pieces.
            let head = Array("ICC_PROFILE\0".utf8) + [1, 1]
            segments += try Self.segment(0xE2, head + SRGBProfile.bytes)
        }
        // Behind the JFIF segment, which has to be the first.
        var start = 2
        if source.u16(at: 2) == 0xFFE0, let length = source.u16(at: 4) { start += 2 + length }
        return file.prefix(start) + segments + file.dropFirst(start)
    }

    private static func segment(_ marker: UInt8, _ body: [UInt8]) throws -> Data {
        // The length counts itself.
        guard body.count + 2 <= 0xFFFF else {
            throw Failure("the exif is larger than JPEG allows; leave it out of --keep")
        }
        return Data([0xFF, marker] + UntrustedBytes.number(body.count + 2, count: 2) + body)
    }

    private func png() -> Data {
        // The signature and the header, which have fixed lengths.
        let start = 8 + 25
        var chunks = Data()
        // The intent is perceptual. A profile would not be valid beside grey pixels.
        if hasProfile { chunks += Self.chunk("sRGB", [0]) }
        if let exif { chunks += Self.chunk("eXIf", exif) }
        return file.prefix(start) + chunks + file.dropFirst(start)
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> Data {
        let body = Array(name.utf8) + content
        return Data(
            UntrustedBytes.number(content.count, count: 4) + body
                + UntrustedBytes.number(Int(checksum(body)), count: 4)
        )
    }

    /// CRC-32 as in the PNG specification, annex D.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in
                crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1
            }
        }
    }

    private func webP() throws -> Data {
        var chunks = Self.webPChunks(of: file)
        // Flags in their byte: profile, transparency, Exif.
        let added = (hasProfile ? 0x20 : 0) | (exif == nil ? 0 : 0x08)
        if chunks.first?.name == "VP8X", var head = chunks.first?.body, let flags = head.first {
            head[head.startIndex] = flags | UInt8(added)
            chunks[0].body = head
        } else {
            let sides = [info.storedSize.width, info.storedSize.height]
                .flatMap { UntrustedBytes.number(Int($0) - 1, count: 3, isLittleEndian: true) }
            let flags = UInt8(added | (info.hasAlpha ? 0x10 : 0))
            chunks.insert(("VP8X", Data([flags, 0, 0, 0] + sides)), at: 0)
        }
        if hasProfile { chunks.insert(("ICCP", Data(SRGBProfile.bytes)), at: 1) }
        if let exif { chunks.append(("EXIF", Data(exif))) }
        let body = chunks.reduce(into: Data("WEBP".utf8)) { result, chunk in
            result += Data(chunk.name.utf8)
            result += UntrustedBytes.number(chunk.body.count, count: 4, isLittleEndian: true)
            result += chunk.body
            if chunk.body.count % 2 == 1 { result.append(0) }
        }
        guard body.count < UInt32.max else { throw Failure("the file is larger than WebP allows") }
        return Data("RIFF".utf8)
            + UntrustedBytes.number(body.count, count: 4, isLittleEndian: true) + body
    }

    private static func webPChunks(of file: Data) -> [(name: String, body: Data)] {
        let source = UntrustedBytes(file, isLittleEndian: true)
        var chunks: [(name: String, body: Data)] = []
        var offset = 12
        while let name = source.slice(at: offset, count: 4),
            let length = source.u32(at: offset + 4),
            let body = source.slice(at: offset + 8, count: length)
        {
            chunks.append((String(decoding: name, as: UTF8.self), Data(body)))
            offset += 8 + length + length % 2
        }
        return chunks
    }
}
