package import FoundationEssentials
import Pixels

/// Removes metadata from a file without decoding it: the compressed pixels stay as they are.
package enum MetadataRemoval {
    /// What remains besides the pixels, the colour profile and the orientation.
    package struct Kept: OptionSet, Sendable {
        package let rawValue: Int

        /// Exif, without the position unless ``position`` is kept too.
        package static let exif = Kept(rawValue: 1)
        /// XMP, without the position unless ``position`` is kept too.
        package static let xmp = Kept(rawValue: 2)
        package static let iptc = Kept(rawValue: 4)
        /// The names of the author and of the owner of the rights.
        package static let copyright = Kept(rawValue: 8)
        /// When the photograph was taken, from Exif.
        package static let date = Kept(rawValue: 16)
        /// Where it was taken.
        package static let position = Kept(rawValue: 32)

        package init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// The file without its position, in as many bytes but for PNG; nil if it has none.
    ///
    /// - Throws: ``CodecError/unsupported(_:feature:)`` if it may have one that this module does not
    ///   remove: in a TIFF, or in compressed metadata of a JPEG XL.
    package static func withoutPosition(_ file: Data) throws(CodecError) -> Data? {
        let format = try file.withBytes { bytes throws(CodecError) in try FileFormat(of: bytes) }
        switch format {
        case .jpeg: return JPEGMetadata.withoutPosition(file)
        case .png: return PNGMetadata.withoutPosition(file)
        case .webp: return WebPMetadata.withoutPosition(file)
        case .avif, .heif, .jxl:
            let parts = try file.withBytes { bytes throws(CodecError) in
                try BoxMetadata(bytes, as: format)
            }
            return parts.withoutPosition(file)
        case .tiff:
            let isWithout = file.withUnsafeBytes { TIFFMetadata($0).hasNoPosition }
            guard isWithout else { throw .unsupported(.tiff, feature: "removing metadata") }
            return nil
        case .gif, .bmp, .ico, .svg: return nil
        }
    }

    /// The file with nothing but some parts of its metadata.
    ///
    /// Comments, texts, previews and further images are removed, too.
    ///
    /// - Throws: ``CodecError/unsupported(_:feature:)`` as ``withoutPosition(_:)``.
    package static func reduced(_ file: Data, to kept: Kept) throws(CodecError) -> Data {
        let parts = try FileMetadata(of: file).reduced(to: kept)
        let bare = try file.withBytes { bytes throws(CodecError) -> Data in
            let format = try FileFormat(of: bytes)
            switch format {
            case .jpeg: return JPEGMetadata.bare(bytes)
            case .png: return PNGMetadata.bare(bytes)
            case .webp: return try WebPMetadata.bare(bytes)
            case .avif, .heif, .jxl:
                // Parts of other images are not among those that were read.
                if try BoxMetadata(bytes, as: format).isEmpty { return file }
            case .tiff: if TIFFMetadata(bytes).isPlain { return file }
            case .gif, .bmp, .ico, .svg: return file
            }
            throw .unsupported(format, feature: "removing metadata")
        }
        return parts.isEmpty ? bare : try parts.written(to: bare)
    }

    /// The bytes of a part without the position; nil if it has none.
    static func withoutPosition(exif part: Data) -> Data? { ExifBlock(part)?.withoutPosition }

    static func withoutPosition(xmp part: Data) -> Data? { XMPPacket(part)?.withoutPosition }
}

extension FileMetadata {
    /// The parts to keep, and the orientation, which the pixels need.
    package func reduced(to kept: MetadataRemoval.Kept) -> FileMetadata {
        let names = kept.contains(.copyright) ? copyright : FileMetadata()
        var parts = FileMetadata(
            exif: kept.contains(.exif) ? exif : reducedExif(to: kept),
            xmp: kept.contains(.xmp) ? xmp : names.xmp,
            iptc: kept.contains(.iptc) ? iptc : names.iptc
        )
        guard !kept.contains(.position) else { return parts }
        parts.exif = parts.exif.map { MetadataRemoval.withoutPosition(exif: $0) ?? $0 }
        parts.xmp = parts.xmp.map { MetadataRemoval.withoutPosition(xmp: $0) ?? $0 }
        return parts
    }

    private func reducedExif(to kept: MetadataRemoval.Kept) -> Data? {
        exif.flatMap { block in
            let turned = block.withUnsafeBytes { EXIFOrientation.parse($0) }
            return ExifBlock(block)?.rebuilt(
                names: kept.contains(.copyright),
                dates: kept.contains(.date),
                orientation: Int(turned.rawValue)
            )
        }
    }
}
