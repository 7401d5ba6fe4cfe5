import ArgumentParser
import Foundation
import Kingfisher

/// The metadata that an encoded file keeps of its source: the value of `--keep`.
struct MetadataChoice: OptionSet, Sendable {
    let rawValue: Int

    static let exif = MetadataChoice(rawValue: 1)
    static let icc = MetadataChoice(rawValue: 2)
    static let xmp = MetadataChoice(rawValue: 4)
    static let iptc = MetadataChoice(rawValue: 8)
    static let copyright = MetadataChoice(rawValue: 16)
    static let all: MetadataChoice = [.exif, .xmp, .iptc, .icc]

    private static let parts: KeyValuePairs<String, MetadataChoice> = [
        "exif": .exif, "xmp": .xmp, "iptc": .iptc, "copyright": .copyright, "icc": .icc,
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
                        "'\(part)' is no metadata; there are exif, xmp, iptc, copyright and icc, "
                            + "or all or none alone"
                    )
                }
                result.formUnion(choice)
            }
        }
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
        guard !isDisjoint(with: [.exif, .xmp, .iptc, .copyright]) else { return chosen }
        let all = try ImageMetadata(of: source)
        var names = contains(.copyright) ? all.copyright : ImageMetadata()
        // Most files state the same names several times; only JPEG holds IPTC.
        if target != .jpeg, names.exif != nil || names.xmp != nil { names.iptc = nil }
        chosen.exif = contains(.exif) ? all.exif : names.exif
        chosen.xmp = contains(.xmp) ? all.xmp : names.xmp
        chosen.iptc = contains(.iptc) ? all.iptc : names.iptc
        return chosen
    }
}
