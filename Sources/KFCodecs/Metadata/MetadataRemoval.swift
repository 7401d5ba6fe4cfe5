package import FoundationEssentials
import KFPixels

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

    /// The file without its position, in as many bytes but for PNG and JPEG XL; nil if it has none.
    ///
    /// - Throws: ``CodecError/unsupported(_:feature:)`` if it may have one that this module does not
    ///   remove: in a TIFF, or in an image that an SVG or an ICO contains.
    package static func withoutPosition(_ file: Data) throws(CodecError) -> Data? {
        let format = try file.withBytes { bytes throws(CodecError) in try FileFormat(of: bytes) }
        var hasNone = false
        switch format {
        case .jpeg: return JPEGMetadata.withoutPosition(file)
        case .png: return PNGMetadata.withoutPosition(file)
        case .webp: return WebPMetadata.withoutPosition(file)
        case .gif: return try GIFMetadata.withoutPosition(file)
        case .avif, .heif, .jxl:
            let parts = try file.withBytes { bytes throws(CodecError) in
                try BoxMetadata(bytes, as: format)
            }
            return parts.withoutPosition(file)
        case .tiff: hasNone = file.withUnsafeBytes { TIFFMetadata($0).hasNoPosition }
        case .svg: hasNone = !file.contains(oneOf: ["GPS", "data:image"])
        case .ico: hasNone = !file.contains(oneOf: textsOfPNG)
        case .bmp: hasNone = true
        }
        guard hasNone else { throw .unsupported(format, feature: removal) }
        return nil
    }

    /// The file with nothing but some parts of its metadata.
    ///
    /// Comments, texts, previews and further images are removed, too. This is the one place that
    /// removes metadata: what it does not know how to remove is an error, and never stays.
    ///
    /// - Throws: ``CodecError/unsupported(_:feature:)`` if the pixels have to be encoded again for
    ///   it, and other errors for damaged files.
    package static func reduced(_ file: Data, to kept: Kept) throws(CodecError) -> Data {
        let format = try file.withBytes { bytes throws(CodecError) in try FileFormat(of: bytes) }
        let bare = try file.withBytes { bytes throws(CodecError) -> Data in
            switch format {
            case .jpeg: return try JPEGMetadata.bare(bytes)
            case .png: return try PNGMetadata.bare(bytes)
            case .webp: return try WebPMetadata.bare(bytes)
            case .gif: return try GIFMetadata.bare(bytes)
            case .avif, .heif: return try BoxRemoval.bare(bytes, as: format)
            case .jxl: return BoxRemoval.bareJXL(bytes)
            case .tiff: if TIFFMetadata(bytes).isPlain { return file }
            case .ico: if !file.contains(oneOf: textsOfPNG) { return file }
            case .bmp: return file
            case .svg: break
            }
            throw .unsupported(format, feature: removal)
        }
        // Boxes state the orientation of their images themselves, so that their Exif may go.
        let isTurnedByExif =
            switch format {
            case .jpeg, .png, .webp: true
            case .gif, .avif, .heif, .jxl, .tiff, .bmp, .ico, .svg: false
            }
        guard isTurnedByExif || !kept.isEmpty else { return bare }
        let parts = try FileMetadata(of: file).reduced(to: kept, keepsOrientation: isTurnedByExif)
        return parts.isEmpty ? bare : try parts.written(to: bare)
    }

    private static let removal = "removing metadata"

    /// The chunks of a PNG that may contain more than pixels.
    private static let textsOfPNG = ["eXIf", "iTXt", "tEXt", "zTXt"]

    /// The bytes behind the image of a JPEG, which ``reduced(_:to:)`` removes; see
    /// ``JPEGMetadata/bytesBehindImage(_:)``.
    package static func bytesBehindImage(_ file: Data) -> Int {
        file.withUnsafeBytes { bytes in
            FileFormat.detect(bytes) == .jpeg ? JPEGMetadata.bytesBehindImage(bytes) : 0
        }
    }

    /// The bytes of a part without the position; nil if it has none.
    static func withoutPosition(exif part: Data) -> Data? { ExifBlock(part)?.withoutPosition }

    static func withoutPosition(xmp part: Data) -> Data? { XMPPacket(part)?.withoutPosition }
}

extension FileMetadata {
    /// The parts to keep, and the orientation, which the pixels of most formats need.
    package func reduced(
        to kept: MetadataRemoval.Kept,
        keepsOrientation: Bool = true
    ) -> FileMetadata {
        let names = kept.contains(.copyright) ? copyright : FileMetadata()
        var parts = FileMetadata(
            exif: kept.contains(.exif) ? exif : reducedExif(to: kept, keepsOrientation),
            xmp: kept.contains(.xmp) ? xmp : names.xmp,
            iptc: kept.contains(.iptc) ? iptc : names.iptc
        )
        guard !kept.contains(.position) else { return parts }
        parts.exif = parts.exif.map { MetadataRemoval.withoutPosition(exif: $0) ?? $0 }
        parts.xmp = parts.xmp.map { MetadataRemoval.withoutPosition(xmp: $0) ?? $0 }
        return parts
    }

    private func reducedExif(
        to kept: MetadataRemoval.Kept,
        _ keepsOrientation: Bool
    ) -> Data? {
        exif.flatMap { block in
            let turned =
                keepsOrientation ? block.withUnsafeBytes { EXIFOrientation.parse($0) } : .up
            return ExifBlock(block)?.rebuilt(
                names: kept.contains(.copyright),
                dates: kept.contains(.date),
                orientation: Int(turned.rawValue)
            )
        }
    }
}

extension Data {
    fileprivate func contains(oneOf texts: [String]) -> Bool {
        texts.contains { firstRange(of: Data($0.utf8)) != nil }
    }
}
