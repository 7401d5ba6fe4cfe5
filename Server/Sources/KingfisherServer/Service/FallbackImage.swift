import Foundation
import Kingfisher

/// The image that is sent in place of errors.
struct FallbackImage: Sendable {
    /// The image's own file; nil if it is loaded from ``source``.
    let file: SourceFile?
    private let source: ImageReference

    /// Reads the image of a configuration; nil if it has none.
    ///
    /// - Throws: ``ConfigurationError`` if its file cannot be read, or is no image.
    init?(_ configuration: ServiceConfiguration.Responses) throws(ConfigurationError) {
        let data = try ConfiguredFile.read(
            data: configuration.fallbackData,
            path: configuration.fallbackPath,
            name: "IMGPROXY_FALLBACK_IMAGE"
        )
        if let data {
            file = SourceFile(data: data, key: "fallback")
            source = .local(path: "fallback")
        } else if let url = configuration.fallbackURL {
            (file, source) = (nil, .web(url))
        } else {
            return nil
        }
    }

    /// Takes the image that a request names.
    init(_ source: ImageReference) { (file, self.source) = (nil, source) }

    /// The source from which the image is loaded; nil if it has a file.
    var loadedSource: ImageReference? { file == nil ? source : nil }

    /// The request for the image with the options of another request.
    func request(like request: NegotiatedRequest) -> (request: NegotiatedRequest, key: String) {
        var own = request
        own.request.source = source
        own.request.options.fallbackSource = nil
        return (own, CacheKeys.fallback(own.canonicalKey, file?.data))
    }
}

/// A file that the configuration has in itself, or names.
enum ConfiguredFile {
    /// The bytes of an image; nil if there are neither bytes nor a path.
    ///
    /// - Throws: ``ConfigurationError`` if the file cannot be read, or is no image.
    static func read(
        data: Data?,
        path: String?,
        name: String
    ) throws(ConfigurationError) -> Data? {
        guard let data = data ?? path.flatMap(FileManager.default.contents(atPath:)) else {
            guard let path else { return nil }
            throw ConfigurationError(
                name: "\(name)_PATH",
                expected: "a readable file",
                found: path
            )
        }
        // The error has no more to say about the file of an administrator.
        guard (try? ImageFileInfo(data: data)) != nil else {
            throw ConfigurationError(
                name: path == nil ? "\(name)_DATA" : "\(name)_PATH",
                expected: "an image of a format that this service reads",
                found: path
            )
        }
        return data
    }
}
