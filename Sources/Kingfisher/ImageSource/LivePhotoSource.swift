public import Foundation

/// The resources of a live photo: a still image and a movie.
public struct LivePhotoSource: Sendable {
    /// The resources, still image and movie.
    public let resources: [LivePhotoResource]

    /// Makes a source from resources.
    public init(resources: [any Resource]) {
        self.init(resources.map { LivePhotoResource(resource: $0) })
    }

    /// Makes a source from URLs.
    public init(urls: [URL]) {
        self.init(urls.map { LivePhotoResource(downloadURL: $0) })
    }

    /// Makes a source from live photo resources.
    public init(_ resources: [LivePhotoResource]) {
        self.resources = resources
    }
}

/// One resource of a live photo.
public struct LivePhotoResource: Sendable {
    /// The file type of a resource.
    public enum FileType: Sendable, Equatable {
        /// The still image.
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

    /// The source of the resource's file.
    public let dataSource: Source

    /// The given file type, or the one indicated by the URL's extension.
    public let referenceFileType: FileType

    /// Makes a resource from a URL.
    ///
    /// - Parameters:
    ///   - downloadURL: The URL of the file.
    ///   - cacheKey: Defaults to the URL's own key.
    ///   - fileType: Defaults to the type indicated by the URL's extension.
    public init(downloadURL: URL, cacheKey: String? = nil, fileType: FileType? = nil) {
        let resource = KF.ImageResource(downloadURL: downloadURL, cacheKey: cacheKey)
        self.init(resource: resource, fileType: fileType)
    }

    /// Makes a resource from another resource.
    ///
    /// - Parameters:
    ///   - resource: The URL and the cache key.
    ///   - fileType: Defaults to the type indicated by the URL's extension.
    public init(resource: any Resource, fileType: FileType? = nil) {
        self.init(source: resource.convertToSource(), fileType: fileType)
    }

    /// Makes a resource from a source.
    ///
    /// - Parameters:
    ///   - source: The source of the file.
    ///   - fileType: Defaults to the type indicated by the extension of the source's URL.
    public init(source: Source, fileType: FileType? = nil) {
        dataSource = source
        referenceFileType = fileType ?? FileType(pathExtension: source.url?.pathExtension ?? "")
    }
}

extension LivePhotoResource {
    /// The extensions the cached file may have, the most likely first.
    var possibleExtensions: [String] {
        switch referenceFileType {
        case .heic: ["heic"]
        case .mov: ["mov"]
        // The extension was detected from the bytes on storing; "" if the bytes did not indicate
        // it.
        case .other(""): ["heic", "mov", ""]
        case .other(let text): [text]
        }
    }

    /// The extension for storing these bytes; nil if it is unknown.
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
