import ArgumentParser

/// The metadata that an encoded file keeps of its source: the value of `--keep`.
struct MetadataChoice: OptionSet, Sendable {
    let rawValue: Int

    static let exif = MetadataChoice(rawValue: 1)
    static let icc = MetadataChoice(rawValue: 2)
    static let all: MetadataChoice = [.exif, .icc]

    init(rawValue: Int) { self.rawValue = rawValue }

    /// Parses a list such as `exif,icc`, `all` or `none`.
    ///
    /// - Throws: A `ValidationError` for another word.
    init(_ text: String) throws {
        let words: [String: MetadataChoice] = ["exif": .exif, "icc": .icc]
        switch text {
        case "all": self = .all
        case "none": self = []
        default:
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            self = try parts.reduce(into: []) { result, part in
                guard let choice = words[String(part)] else {
                    throw ValidationError(
                        "'\(part)' is no metadata; there are exif and icc, or all or none alone"
                    )
                }
                result.formUnion(choice)
            }
        }
    }
}
