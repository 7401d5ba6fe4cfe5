import Foundation
import Kingfisher

/// The metadata of a source file.
///
/// Sources: ITU-T T.81, annex B (JPEG); W3C, Portable Network Graphics (Third Edition), 11.3.2 and
/// 11.3.4; RFC 9649, section 2.7 (WebP).
struct SourceMetadata {
    /// The Exif block as it is stored; nil if there is none.
    private(set) var exif: [UInt8]?
    /// Whether the file has an ICC profile.
    let hasProfile: Bool

    /// Reads the metadata of a file.
    ///
    /// - Throws: A ``Failure`` if Exif is chosen, and the file may hold a block that this tool
    ///   cannot read.
    init(of data: Data, choice: MetadataChoice) throws {
        let info = try? ImageFileInfo(data: data)
        hasProfile = choice.contains(.icc) && info?.hasColorProfile == true
        guard choice.contains(.exif) else { return }
        switch info?.format {
        case .JPEG: exif = Self.jpegBlock(UntrustedBytes(data))
        case .PNG: exif = Self.pngBlock(UntrustedBytes(data))
        case .WebP: exif = Self.webPBlock(UntrustedBytes(data, isLittleEndian: true))
        case .GIF, .BMP, .ICO, .SVG: break
        default:
            // The list of items, which names the block, is at the beginning of AVIF and HEIF files.
            guard data.prefix(1 << 16).firstRange(of: Data("Exif".utf8)) != nil else { return }
            throw Failure(
                "cannot read exif from \(info?.formatName.uppercased() ?? "this") files; "
                    + "leave it out of --keep"
            )
        }
    }

    private static func jpegBlock(_ file: UntrustedBytes) -> [UInt8]? {
        var offset = 2
        while let mark = file.u8(at: offset), mark == 0xFF, let code = file.u8(at: offset + 1) {
            if code == 0xFF {
                offset += 1
                continue
            }
            // The scan begins here.
            guard code != 0xDA, code != 0xD9, let length = file.u16(at: offset + 2), length >= 2,
                let body = file.slice(at: offset + 4, count: length - 2)
            else { return nil }
            if code == 0xE1, file.has("Exif\0\0", at: offset + 4) { return Array(body) }
            offset += 2 + length
        }
        return nil
    }

    private static func pngBlock(_ file: UntrustedBytes) -> [UInt8]? {
        var offset = 8
        while let length = file.u32(at: offset), !file.has("IEND", at: offset + 4),
            let body = file.slice(at: offset + 8, count: length)
        {
            if file.has("eXIf", at: offset + 4) { return Array(body) }
            offset += length + 12
        }
        return nil
    }

    private static func webPBlock(_ file: UntrustedBytes) -> [UInt8]? {
        var offset = 12
        while let length = file.u32(at: offset + 4),
            let body = file.slice(at: offset + 8, count: length)
        {
            if file.has("EXIF", at: offset) { return Array(body) }
            offset += 8 + length + length % 2
        }
        return nil
    }
}
