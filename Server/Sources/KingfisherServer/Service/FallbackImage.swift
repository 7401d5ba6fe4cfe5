import Foundation

/// The image that is sent in place of errors.
struct FallbackImage: Sendable {
    private enum Origin {
        case file(SourceFile)
        case web(URL)
    }

    private let origin: Origin

    /// Reads the image of a configuration; nil if it has none.
    ///
    /// - Throws: ``ConfigurationError`` if its file cannot be read.
    init?(_ configuration: ServiceConfiguration.Responses) throws(ConfigurationError) {
        let data = try ConfiguredFile.read(
            data: configuration.fallbackData,
            path: configuration.fallbackPath,
            name: "IMGPROXY_FALLBACK_IMAGE_PATH"
        )
        if let data {
            origin = .file(SourceFile(data: data, key: "fallback"))
        } else if let url = configuration.fallbackURL {
            origin = .web(url)
        } else {
            return nil
        }
    }

    /// The image's file.
    ///
    /// - Throws: ``ServiceError``; `CancellationError`.
    func file(_ sources: SourceLoader) async throws -> SourceFile {
        switch origin {
        case .file(let file): file
        case .web(let url): try await sources.file(.web(url), fields: []).file
        }
    }
}

/// A file that the configuration has in itself, or names.
enum ConfiguredFile {
    /// The bytes; nil if there are neither bytes nor a path.
    ///
    /// - Throws: ``ConfigurationError`` if the file cannot be read.
    static func read(
        data: Data?,
        path: String?,
        name: String
    ) throws(ConfigurationError) -> Data? {
        if let data { return data }
        guard let path else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(name: name, expected: "a readable file", found: path)
        }
        return data
    }
}
