public import Foundation
import KFCodecs
import KFPixels

/// The metadata of an image file: Exif, XMP and IPTC, and a colour profile to embed.
///
/// Not part of Kingfisher for Apple platforms. Processed images have no metadata, because the
/// pixels may show less than the source. This type carries it over:
///
/// ```swift
/// let thumbnail = try await KingfisherManager.shared.retrieveData(
///     with: url,
///     options: [.processor(DownsamplingImageProcessor(size: size))],
///     as: .jpeg(quality: 0.8)
/// )
/// let metadata = try ImageMetadata(of: source).copyright
/// let file = try metadata.added(to: thumbnail.data)
/// ```
///
/// Files are not trusted: parts are limited in size, damaged ones are left out, and no C library
/// reads them, so that this is safe without ``ProcessIsolation``. Reading takes microseconds.
public struct ImageMetadata: Sendable, Equatable {
    /// Exif: a TIFF structure that begins with `II` or `MM`.
    public var exif: Data?
    /// An XMP packet in UTF-8.
    public var xmp: Data?
    /// Datasets of IPTC-IIM.
    public var iptc: Data?
    /// The ICC profile to embed; nil after reading a file.
    ///
    /// It has to be that of the pixels. The library decodes to sRGB, whatever the source's profile
    /// is; see ``sRGBProfile``.
    public var colorProfile: Data?

    /// A profile for sRGB, of 588 bytes and free of rights.
    public static let sRGBProfile = Data(SRGBProfile.bytes)

    /// Makes metadata of its parts.
    ///
    /// - Parameters:
    ///   - exif: See ``exif``.
    ///   - xmp: See ``xmp``.
    ///   - iptc: See ``iptc``.
    ///   - colorProfile: See ``colorProfile``.
    public init(
        exif: Data? = nil,
        xmp: Data? = nil,
        iptc: Data? = nil,
        colorProfile: Data? = nil
    ) {
        (self.exif, self.xmp, self.iptc, self.colorProfile) = (exif, xmp, iptc, colorProfile)
    }

    /// Reads the Exif, XMP and IPTC of a file.
    ///
    /// JPEG and TIFF have all three; PNG, WebP, AVIF, HEIF and JPEG XL have Exif and XMP. Not read
    /// are parts above 1 MiB, the continuation of an XMP packet that needs several segments of a
    /// JPEG, compressed packets in PNG, and maker notes in TIFF. GIF, BMP, ICO and SVG have none of
    /// the three.
    ///
    /// - Parameter file: A complete file.
    /// - Throws: ``Failure/unreadable(_:)``, or ``Failure/unsupportedSource(format:)`` for a JPEG XL
    ///   whose metadata is compressed.
    public init(of file: Data) throws(Failure) {
        do {
            self.init(try FileMetadata(of: file))
        } catch {
            throw Failure(error)
        }
    }

    private init(_ parts: FileMetadata) {
        self.init(
            exif: parts.exif,
            xmp: parts.xmp,
            iptc: parts.iptc,
            colorProfile: parts.profile
        )
    }

    private var parts: FileMetadata {
        FileMetadata(exif: exif, xmp: xmp, iptc: iptc, profile: colorProfile)
    }

    /// Whether there is no part.
    public var isEmpty: Bool { parts.isEmpty }

    /// The names of the author and of the owner of the rights, without everything else.
    ///
    /// These are the artist and the copyright of Exif, `dc:creator` and `dc:rights` of XMP, and the
    /// by-line and the copyright notice of IPTC. Places, cameras and dates are not among them. The
    /// result is without ``colorProfile``.
    public var copyright: ImageMetadata { ImageMetadata(parts.copyright) }

    /// When, where and with what a photograph was taken.
    public struct Photograph: Sendable, Equatable {
        /// `2024:05:06 07:08:09`, in the zone of the camera; nil if it is not stated.
        public let date: String?
        /// In degrees north of the equator; nil if it is not stated.
        public let latitude: Double?
        /// In degrees east of Greenwich; nil if it is not stated.
        public let longitude: Double?
        /// The maker and the model of the camera; nil if they are not stated.
        public let camera: String?
    }

    /// What Exif states about the photograph.
    public var photograph: Photograph {
        let facts = parts.facts
        return Photograph(
            date: facts.date,
            latitude: facts.position?.latitude,
            longitude: facts.position?.longitude,
            camera: facts.camera
        )
    }

    /// What ``reduced(_:to:)`` leaves of a file's metadata.
    public struct Kept: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Exif, without the position unless ``position`` is kept, too.
        public static let exif = Kept(rawValue: 1)
        /// XMP, without the position unless ``position`` is kept, too.
        public static let xmp = Kept(rawValue: 2)
        /// IPTC.
        public static let iptc = Kept(rawValue: 4)
        /// The names of the author and of the owner of the rights; see ``ImageMetadata/copyright``.
        public static let copyright = Kept(rawValue: 8)
        /// When the photograph was taken, from Exif.
        public static let date = Kept(rawValue: 16)
        /// Where it was taken: coordinates, and places in XMP.
        public static let position = Kept(rawValue: 32)

        /// Makes a set of its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// Removes the place where a photograph was taken, and leaves everything else as it is.
    ///
    /// The pixels are not encoded again. Coordinates are removed from Exif and XMP, also from the
    /// further images that some cameras append; so are compressed texts that may contain them.
    /// Names of places that a person has written into IPTC stay.
    ///
    /// - Parameter file: A JPEG, PNG, WebP, GIF, AVIF, HEIF or JPEG XL, or a file without a position.
    /// - Returns: The file; nil if it has no position.
    /// - Throws: ``Failure``; ``Failure/unsupportedSource(format:)`` if the image has to be encoded
    ///   again to remove it.
    public static func withoutPosition(_ file: Data) throws(Failure) -> Data? {
        do { return try MetadataRemoval.withoutPosition(file) } catch { throw Failure(error) }
    }

    /// Removes all metadata but some parts, without encoding the pixels again.
    ///
    /// The colour profile stays, and so does the orientation, without which the image would be
    /// turned. Comments, texts, unknown parts, previews and further images in the file are removed.
    ///
    /// - Parameters:
    ///   - file: A JPEG, PNG, WebP, GIF or AVIF; a HEIF or JPEG XL of which nothing is kept; or a file
    ///     without metadata.
    ///   - kept: The parts to keep.
    /// - Returns: The file.
    /// - Throws: ``Failure``; ``Failure/unsupportedSource(format:)`` if the image has to be encoded
    ///   again to remove the others.
    public static func reduced(_ file: Data, to kept: Kept) throws(Failure) -> Data {
        do {
            return try MetadataRemoval.reduced(file, to: .init(rawValue: kept.rawValue))
        } catch {
            throw Failure(error)
        }
    }

    /// The bytes behind the image of a JPEG, which ``reduced(_:to:)`` removes: further images, maps of
    /// light, or a film.
    @_spi(Programs) public static func bytesBehindImage(_ file: Data) -> Int {
        MetadataRemoval.bytesBehindImage(file)
    }

    /// Some parts of the metadata, and the orientation.
    ///
    /// - Parameter kept: The parts to keep.
    /// - Returns: The parts; the result is without ``colorProfile``.
    public func reduced(to kept: Kept) -> ImageMetadata {
        ImageMetadata(parts.reduced(to: .init(rawValue: kept.rawValue)))
    }

    /// Adds the metadata to a file whose pixels are upright.
    ///
    /// The metadata is adapted to the file: the orientation becomes 1, the stated size that of the
    /// file, and thumbnails are removed because they show the source. Maker notes of cameras stay as
    /// they are. Damaged parts are left out.
    ///
    /// JPEG holds all parts, Exif and XMP of 64 KiB each; PNG and WebP hold all but IPTC, AVIF Exif
    /// and XMP, GIF XMP, and other formats none. The profile of sRGB is left out of AVIF and GIF, which mean sRGB anyway.
    ///
    /// - Parameters:
    ///   - file: The encoded image. Its own parts of the same kinds are replaced.
    ///   - dropsUnsupported: Whether parts that the file cannot hold are left out.
    /// - Returns: The file with the metadata.
    /// - Throws: ``Failure/unreadable(_:)``; without `dropsUnsupported`
    ///   ``Failure/unsupportedPart(_:format:)`` and ``Failure/tooLarge(_:byteCount:allowed:)``.
    public func added(
        to file: Data,
        dropsUnsupported: Bool = false
    ) throws(Failure) -> Data {
        try added(to: file) { _ in dropsUnsupported }
    }

    /// Adds the metadata as ``added(to:dropsUnsupported:)``, and asks for each part that does not fit.
    ///
    /// - Parameters:
    ///   - file: The encoded image.
    ///   - dropsPart: Whether the part of a failure is left out; otherwise it is thrown.
    /// - Returns: The file with the metadata.
    /// - Throws: ``Failure``.
    @_spi(Programs) public func added(
        to file: Data,
        dropsPart: (Failure) -> Bool
    ) throws(Failure) -> Data {
        guard !isEmpty else { return file }
        do {
            let info = try Codecs.inspect(file)
            var fitting = parts.adapted(to: info.storedSize)
            if colorProfile == Self.sRGBProfile, [.avif, .gif].contains(info.format) {
                fitting.remove(.profile)
            }
            for part in MetadataPart.allCases {
                guard let failure = Failure(part, of: fitting, in: info.format) else { continue }
                guard dropsPart(failure) else { throw failure }
                fitting.remove(part)
            }
            return fitting.isEmpty ? file : try fitting.written(to: file)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .unreadable("\(error)")
        }
    }

    /// A kind of metadata.
    public enum Part: String, Sendable, CaseIterable {
        /// See ``ImageMetadata/exif``.
        case exif = "Exif"
        /// See ``ImageMetadata/xmp``.
        case xmp = "XMP"
        /// See ``ImageMetadata/iptc``.
        case iptc = "IPTC"
        /// See ``ImageMetadata/colorProfile``.
        case colorProfile = "a colour profile"

        fileprivate init(_ part: MetadataPart) {
            switch part {
            case .exif: self = .exif
            case .xmp: self = .xmp
            case .iptc: self = .iptc
            case .profile: self = .colorProfile
            }
        }
    }

    /// Why metadata cannot be read or added.
    public enum Failure: Error, Sendable, Equatable {
        /// The file is not an image, or a damaged one. The text says which.
        case unreadable(String)
        /// The file may have metadata that is not read, or not removed without encoding it again.
        case unsupportedSource(format: String)
        /// Files of the format do not hold the part.
        case unsupportedPart(Part, format: String)
        /// The part is larger than files of the format hold.
        case tooLarge(Part, byteCount: Int, allowed: Int)

        fileprivate init(_ error: CodecError) {
            if case .unsupported(let format, _) = error {
                self = .unsupportedSource(format: format.rawValue)
            } else {
                self = .unreadable("\(error)")
            }
        }

        fileprivate init?(_ part: MetadataPart, of parts: FileMetadata, in format: FileFormat) {
            guard let count = parts.byteCount(of: part) else { return nil }
            guard let room = format.room(for: part) else {
                self = .unsupportedPart(Part(part), format: format.rawValue)
                return
            }
            guard count > room else { return nil }
            self = .tooLarge(Part(part), byteCount: count, allowed: room)
        }
    }
}

extension ImageMetadata.Failure: LocalizedError {
    /// The failure and what to do about it, as a sentence.
    public var errorDescription: String? {
        switch self {
        case .unreadable(let reason): "The metadata cannot be read or added: \(reason)."
        case .unsupportedSource(let format):
            "The metadata of this \(format.uppercased()) file cannot be read or removed; encode it again."
        case .unsupportedPart(let part, let format):
            "\(part.rawValue) is not written to \(format.uppercased()) files; leave it out."
        case .tooLarge(let part, let count, let allowed):
            "The file cannot hold \(part.rawValue) of \(count) bytes, only \(allowed); leave it out."
        }
    }
}
