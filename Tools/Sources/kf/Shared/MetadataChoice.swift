import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher
import Synchronization

/// The metadata that an encoded file keeps of its source: the value of `--keep`.
struct MetadataChoice: OptionSet, Sendable {
    let rawValue: Int

    static let exif = MetadataChoice(rawValue: 1)
    static let icc = MetadataChoice(rawValue: 2)
    static let xmp = MetadataChoice(rawValue: 4)
    static let iptc = MetadataChoice(rawValue: 8)
    static let copyright = MetadataChoice(rawValue: 16)
    static let date = MetadataChoice(rawValue: 32)
    static let gps = MetadataChoice(rawValue: 64)
    /// All that the format holds; its highest bit distinguishes it from a list of the same parts.
    static let all: MetadataChoice = [
        .exif, .xmp, .iptc, .icc, .gps, MetadataChoice(rawValue: 128),
    ]

    private static let parts: KeyValuePairs<String, MetadataChoice> = [
        "exif": .exif, "xmp": .xmp, "iptc": .iptc, "copyright": .copyright, "icc": .icc,
        "date": .date, "gps": .gps,
    ]

    /// The words that the option takes.
    static let words = parts.map(\.key) + ["all", "none"]

    init(rawValue: Int) { self.rawValue = rawValue }

    /// Parses a list such as `exif,icc`, `all` or `none`.
    ///
    /// - Throws: A `ValidationError` for another word.
    init(_ text: String) throws {
        switch text {
        case "all": self = .all
        case "none": self = []
        default:
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            self = try parts.reduce(into: []) { result, part in
                guard let choice = Self.parts.first(where: { $0.key == part })?.value else {
                    throw ValidationError(
                        "'\(part)' is no metadata; there are exif, xmp, iptc, copyright, date, gps "
                            + "and icc, or all or none alone"
                    )
                }
                result.formUnion(choice)
            }
            if contains(.gps), isDisjoint(with: [.exif, .xmp]) {
                throw ValidationError("the position is a part of others; write exif,xmp,gps")
            }
        }
    }

    /// The same parts for the library, without the profile.
    var kept: ImageMetadata.Kept {
        let parts: [(MetadataChoice, ImageMetadata.Kept)] = [
            (.exif, .exif), (.xmp, .xmp), (.iptc, .iptc), (.copyright, .copyright), (.date, .date),
            (.gps, .position),
        ]
        return parts.reduce(into: []) { if contains($1.0) { $0.formUnion($1.1) } }
    }

    /// The chosen parts of a source.
    ///
    /// The pixels of encoded files are in sRGB, whatever the source's profile is, so that the
    /// profile of a source is replaced by that of sRGB.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - target: The format that is written.
    ///   - isolates: Whether C libraries read the header in a worker process only.
    /// - Returns: The parts, and the profile of sRGB if the source has a profile.
    /// - Throws: `ImageMetadata.Failure` if the source may have metadata that is not read.
    func metadata(
        of source: Data,
        for target: PictureFormat,
        isolates: Bool
    ) async throws -> ImageMetadata {
        var chosen = ImageMetadata()
        if contains(.icc) {
            // A header that cannot be read has no profile.
            let header = try? await ImageFileInfo.read(source, isolates: isolates)
            if header?.hasColorProfile == true { chosen.colorProfile = ImageMetadata.sRGBProfile }
        }
        guard !kept.isEmpty else { return chosen }
        var parts = try ImageMetadata(of: source).reduced(to: kept)
        // Most files state the same names several times; only JPEG holds IPTC.
        if target != .jpeg, !contains(.iptc), parts.exif != nil || parts.xmp != nil {
            parts.iptc = nil
        }
        parts.colorProfile = chosen.colorProfile
        return parts
    }
}

extension ImageMetadata {
    private static let noted = Mutex<Set<String>>([])

    /// Adds the parts that a format holds, and says once in a run which ones it does not hold.
    ///
    /// - Throws: The other failures of `added(to:dropsUnsupported:)`.
    func addedWhereSupported(to file: Data, _ format: PictureFormat) throws -> Data {
        try added(to: file) { failure in
            guard case .unsupportedPart(let part, _) = failure else { return false }
            let note = "\(format.rawValue) files cannot hold \(part.rawValue); left it out"
            if LibraryLog.shared.level != .quiet,
                Self.noted.withLock({ $0.insert(note).inserted })
            {
                Terminal.note("kf: " + note)
            }
            return true
        }
    }
}
