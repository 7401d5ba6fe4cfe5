import Foundation
import Kingfisher

/// The parsed path of a URL of the image service.
struct ImageRequest: Sendable, Hashable {
    /// The kind of answer.
    enum Kind: Sendable, Hashable {
        /// The processed image.
        case image
        /// JSON about the source.
        case info
        /// JSON with the paths of the image in other widths.
        case widths([Int], Parts)
    }

    /// The parts of the URL of a list of widths, for the paths of the images.
    struct Parts: Sendable, Hashable {
        /// The segments of the options.
        var options: [String] = []
        /// The source in Base64, and the format that follows it.
        var source = ""
    }

    /// The kind of answer.
    var kind: Kind
    /// The image to process.
    var source: ImageReference
    /// The options, with presets applied.
    var options: ProcessingOptions
    /// Whether the source is secret, because the URL has it encrypted.
    var hidesSource = false
    /// The parts of the source's address that do not identify it; nil for none.
    var keyRule: CacheKeyRule?

    /// Makes a request.
    init(
        kind: Kind = .image,
        source: ImageReference,
        options: ProcessingOptions,
        keyRule: CacheKeyRule? = nil
    ) {
        self.kind = kind
        self.source = source
        self.options = options
        self.keyRule = keyRule
    }
}

/// The source named by a URL of the image service.
enum ImageReference: Sendable, Hashable {
    /// A source on a web server, with the scheme `http` or `https`.
    case web(URL)
    /// A file under the service's root folder; the path has no leading slash and no `..`.
    case local(path: String)
    /// An object in a bucket, or container, of a store.
    case object(ObjectStore, bucket: String, key: String)
}

extension ImageReference: CustomStringConvertible {
    /// The normalised text of the source.
    var description: String {
        switch self {
        case .web(let url): url.absoluteString
        case .local(let path): "local:///\(path)"
        case .object(let store, let bucket, let key): "\(store.rawValue)://\(bucket)/\(key)"
        }
    }
}

extension ImageRequest {
    /// The server whose sources are limited together: that of the source, or one name for all
    /// requests that also name a watermark of another server, which may be the slow one.
    var server: String {
        guard let mark = options.watermarkSource, options.watermark != nil,
            mark.server != source.server
        else { return source.server }
        return "watermark:"
    }
}

extension ImageReference {
    /// The server whose sources are limited together; for files and buckets a name that no web
    /// server has.
    var server: String {
        switch self {
        case .web(let url): HostGroup.name(of: url.host ?? "")
        case .local: "local:"
        case .object(let store, _, _): "\(store.rawValue):"
        }
    }
}
