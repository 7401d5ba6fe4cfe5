public import Foundation

/// The parts of a live photo: a still and a movie.
public struct LivePhotoSource: Sendable {
    /// The parts.
    public let resources: [LivePhotoResource]

    /// Makes a source from resources.
    public init(resources: [any Resource]) {
        self.init(resources.map { LivePhotoResource(resource: $0) })
    }

    /// Makes a source from URLs.
    public init(urls: [URL]) {
        self.init(urls.map { LivePhotoResource(downloadURL: $0) })
    }

    /// Makes a source from parts.
    public init(_ resources: [LivePhotoResource]) {
        self.resources = resources
    }
}

/// One part of a live photo.
public struct LivePhotoResource: Sendable {
    /// The kind of a part's file.
    public enum FileType: Sendable, Equatable {
        /// The still.
        case heic
        /// The movie.
        case mov
        /// Any other extension.
        case other(String)

        init(pathExtension: String) {
            switch pathExtension.lowercased() {
            case "mov": self = .mov
            case "heic": self = .heic
            default: self = .other(pathExtension)
            }
        }
    }

    /// Where the part comes from.
    public let dataSource: Source

    /// The kind that was given or told by the URL's extension.
    public let referenceFileType: FileType

    /// Makes a part from a URL.
    public init(downloadURL: URL, cacheKey: String? = nil, fileType: FileType? = nil) {
        let resource = KF.ImageResource(downloadURL: downloadURL, cacheKey: cacheKey)
        self.init(resource: resource, fileType: fileType)
    }

    /// Makes a part from a resource.
    public init(resource: any Resource, fileType: FileType? = nil) {
        self.init(source: resource.convertToSource(), fileType: fileType)
    }

    /// Makes a part from any source.
    public init(source: Source, fileType: FileType? = nil) {
        dataSource = source
        referenceFileType = fileType ?? FileType(pathExtension: source.url?.pathExtension ?? "")
    }
}

extension LivePhotoResource {
    /// The extensions under which the part's file may lie, the likeliest first.
    var possibleExtensions: [String] {
        switch referenceFileType {
        case .heic: ["heic"]
        case .mov: ["mov"]
        // It was then told by the bytes when the file was stored; "" when these did not tell either.
        case .other(""): ["heic", "mov", ""]
        case .other(let text): [text]
        }
    }

    /// The extension to store these bytes under; nil when nothing tells it.
    func fileExtension(for data: Data) -> String? {
        switch referenceFileType {
        case .heic: "heic"
        case .mov: "mov"
        case .other(""): Self.sniffedExtension(of: data)
        case .other(let text): text
        }
    }

    /// Reads the brand of a file of the ISO base media format (ISO/IEC 14496-12, 4.3).
    private static func sniffedExtension(of data: Data) -> String? {
        guard data.count >= 12 else { return nil }
        switch String(decoding: data.dropFirst(4).prefix(8), as: UTF8.self) {
        case "ftypheic": return "heic"
        case "ftypqt  ": return "mov"
        default: return nil
        }
    }
}
