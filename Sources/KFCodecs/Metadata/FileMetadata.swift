package import FoundationEssentials
package import KFPixels

/// The parts of an image file that describe its content, and its ICC profile.
package struct FileMetadata: Sendable, Equatable {
    /// A TIFF structure, without the leading `Exif\0\0` that it has in JPEG.
    package var exif: Data?
    /// An XMP packet in UTF-8.
    package var xmp: Data?
    /// Datasets of IPTC-IIM.
    package var iptc: Data?
    /// An ICC profile.
    package var profile: Data?

    /// Larger parts are not read: real ones have a few kilobytes, and searching a megabyte of hostile
    /// XMP takes 50 ms.
    static let maxByteCount = 1 << 20

    /// The most chunks of a file that are looked at: real files have fewer, also with many frames.
    static let maxChunkCount = 100_000

    package init(
        exif: Data? = nil,
        xmp: Data? = nil,
        iptc: Data? = nil,
        profile: Data? = nil
    ) {
        (self.exif, self.xmp, self.iptc, self.profile) = (exif, xmp, iptc, profile)
    }

    /// Reads the Exif, XMP and IPTC of a file.
    ///
    /// Of several parts of one kind the first one counts. A part that is cut off counts as none. The
    /// profile is not read, because decoded pixels are in sRGB.
    ///
    /// - Parameter file: A whole file.
    /// - Throws: ``CodecError/unsupported(_:feature:)`` for a JPEG XL whose metadata is compressed;
    ///   ``CodecError/empty`` or ``CodecError/unknownFormat`` if it is not an image.
    package init(of file: Data) throws(CodecError) {
        self = try file.withBytes { bytes throws(CodecError) in
            let format = try FileFormat(of: bytes)
            switch format {
            case .jpeg: return JPEGMetadata.read(bytes)
            case .png: return PNGMetadata.read(bytes)
            case .webp: return WebPMetadata.read(bytes)
            case .gif: return try GIFMetadata.read(bytes)
            case .bmp, .ico, .svg: return FileMetadata()
            case .avif, .heif, .jxl: return try BoxMetadata(bytes, as: format).read(bytes)
            case .tiff: return TIFFMetadata(bytes).read()
            }
        }
    }

    /// Whether there is no part.
    package var isEmpty: Bool { self == FileMetadata() }

    /// The parts as they describe an upright bitmap of another size.
    ///
    /// The orientation becomes 1 and the stated size the new one. Thumbnails are removed, because
    /// they show the source before it was cropped or blurred. Damaged parts are left out.
    package func adapted(to size: PixelSize) -> FileMetadata {
        FileMetadata(
            exif: exif.flatMap { ExifBlock($0)?.adapted(to: size) },
            xmp: xmp.flatMap { XMPPacket($0)?.adapted(to: size) },
            iptc: iptc.flatMap(IPTCDatasets.withoutPreviews),
            profile: profile
        )
    }

    /// The names of the author and of the owner of the rights, and nothing else.
    ///
    /// Every part is rebuilt, so that nothing else of the source remains.
    package var copyright: FileMetadata {
        FileMetadata(
            exif: exif.flatMap { ExifBlock($0)?.copyright },
            xmp: xmp.flatMap { XMPPacket($0)?.copyright },
            iptc: iptc.flatMap(IPTCDatasets.copyright)
        )
    }

    /// The file with these parts in place of its own ones of the same kinds.
    ///
    /// - Parameter file: A JPEG, PNG, WebP or GIF, whose other chunks stay as they are, or an AVIF still
    ///   without metadata.
    /// - Returns: The file. Parts that do not fit in ``FileFormat/room(for:)`` are left out.
    /// - Throws: ``CodecError`` if the file has no readable header, or is of another format.
    package func written(to file: Data) throws(CodecError) -> Data {
        try file.withBytes { bytes throws(CodecError) in
            let format = try FileFormat(of: bytes)
            let parts = fitting(format)
            switch format {
            case .jpeg: return JPEGMetadata.written(parts, to: bytes)
            case .png: return try PNGMetadata.written(parts, to: bytes)
            case .webp: return try WebPMetadata.written(parts, to: bytes)
            case .gif: return try GIFMetadata.written(parts, to: bytes)
            case .avif: return try AVIFMetadata.written(parts, to: bytes)
            case let format: throw .unsupported(format, feature: "writing metadata")
            }
        }
    }

    /// The size in bytes of a part; nil if it is missing.
    package func byteCount(of part: MetadataPart) -> Int? {
        switch part {
        case .exif: exif?.count
        case .xmp: xmp?.count
        case .iptc: iptc?.count
        case .profile: profile?.count
        }
    }

    /// Removes a part.
    package mutating func remove(_ part: MetadataPart) {
        switch part {
        case .exif: exif = nil
        case .xmp: xmp = nil
        case .iptc: iptc = nil
        case .profile: profile = nil
        }
    }

    /// The parts that a file of the format holds.
    private func fitting(_ format: FileFormat) -> FileMetadata {
        MetadataPart.allCases.reduce(into: self) { parts, part in
            guard let count = byteCount(of: part) else { return }
            if count > format.room(for: part) ?? 0 { parts.remove(part) }
        }
    }
}

/// A kind of metadata.
package enum MetadataPart: Sendable, CaseIterable {
    case exif
    case xmp
    case iptc
    case profile
}

extension FileFormat {
    /// The most bytes of a part that files of the format hold; nil if they hold none.
    package func room(for part: MetadataPart) -> Int? {
        switch (self, part) {
        // A segment has 65,533 bytes, with the name of its content.
        case (.jpeg, .exif): 65_527
        case (.jpeg, .xmp): 65_504
        // With the head of its block, and padded to an even length.
        case (.jpeg, .iptc): 65_506
        case (.jpeg, .profile): JPEGMetadata.profilePieceBytes * 255
        case (.png, .exif), (.png, .xmp), (.png, .profile), (.webp, .exif), (.webp, .xmp),
            (.webp, .profile), (.avif, .exif), (.avif, .xmp), (.gif, .xmp):
            16 << 20
        case (.png, .iptc), (.webp, .iptc), (.avif, .iptc), (.avif, .profile), (.gif, .exif),
            (.gif, .iptc), (.gif, .profile), (.heif, _), (.jxl, _), (.tiff, _), (.bmp, _),
            (.ico, _), (.svg, _):
            nil
        }
    }
}

extension Data {
    /// A copy of some bytes with others inserted, and without some ranges.
    ///
    /// - Parameters:
    ///   - bytes: The original.
    ///   - addition: The bytes to insert.
    ///   - place: The offset to insert them at.
    ///   - removed: The ranges to leave out, in order, none below `place`.
    init(
        _ bytes: UnsafeRawBufferPointer,
        inserting addition: Data,
        at place: Int,
        without removed: [Range<Int>] = []
    ) {
        self.init(capacity: bytes.count + addition.count)
        append(contentsOf: bytes[..<place])
        append(addition)
        var start = place
        for range in removed {
            append(contentsOf: bytes[start..<range.lowerBound])
            start = range.upperBound
        }
        append(contentsOf: bytes[start...])
    }

    /// Appends the low bytes of a number.
    mutating func append(number: Int, bytes count: Int, _ order: ByteReader.Endianness = .big) {
        append(contentsOf: UntrustedBytes.number(number, count: count, order))
    }
}
