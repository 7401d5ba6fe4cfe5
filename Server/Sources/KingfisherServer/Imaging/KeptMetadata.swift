import Foundation
import Kingfisher

/// How much of a source's metadata its results keep.
enum KeptMetadata: Sendable, Hashable {
    case none
    /// The names of the author and of the owner of the rights.
    case copyright
    /// Exif, XMP and IPTC.
    case all

    /// The rule of a request.
    init(_ options: ProcessingOptions, _ settings: RendererSettings) {
        if !(options.stripMetadata ?? settings.stripsMetadata) {
            self = .all
        } else {
            self = options.keepCopyright ?? settings.keepsCopyright ? .copyright : .none
        }
    }

    /// The metadata of a source that its result keeps; empty if it has none that can be read.
    func metadata(of source: ImageProcessItem) -> ImageMetadata {
        // A result without metadata is better than none.
        guard self != .none, case .data(let file) = source,
            let metadata = try? ImageMetadata(of: file)
        else { return ImageMetadata() }
        return self == .copyright ? metadata.copyright : metadata
    }

    /// A source with the metadata that its result keeps, and the same pixels.
    ///
    /// - Returns: The file; nil if the image has to be encoded again for it.
    func reduced(_ source: Data) -> Data? {
        switch self {
        case .all: source
        case .copyright: try? ImageMetadata.reduced(source, to: .copyright)
        case .none: try? ImageMetadata.reduced(source, to: [])
        }
    }
}

extension ImageMetadata {
    /// The sizes of all parts together, in bytes.
    var byteCount: Int {
        [exif, xmp, iptc, colorProfile].reduce(0) { $0 + ($1?.count ?? 0) }
    }
}
