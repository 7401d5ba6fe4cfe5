public import Foundation

/// The origin of an image.
public enum Source: Sendable {
    /// A namespace for the identifiers of loads into views.
    public enum Identifier {
        /// The type of a load's identifier; 0 is never issued.
        public typealias Value = UInt

        @MainActor private static var current: Value = 0

        @MainActor
        static func next() -> Value {
            current &+= 1
            return current
        }
    }

    /// A download over HTTP or HTTPS.
    case network(any Resource)
    /// Bytes from a provider.
    case provider(any ImageDataProvider)

    /// The key under which the image is cached.
    public var cacheKey: String {
        switch self {
        case .network(let resource): resource.cacheKey
        case .provider(let provider): provider.cacheKey
        }
    }

    /// The download URL, or the provider's content URL, which may be nil.
    public var url: URL? {
        switch self {
        case .network(let resource): resource.downloadURL
        case .provider(let provider): provider.contentURL
        }
    }
}

extension Source: Hashable {
    /// Whether both are of the same case, with the same key and the same URL.
    public static func == (lhs: Source, rhs: Source) -> Bool {
        switch (lhs, rhs) {
        case (.network, .network), (.provider, .provider):
            lhs.cacheKey == rhs.cacheKey && lhs.url == rhs.url
        default:
            false
        }
    }

    /// Hashes key and URL.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(cacheKey)
        hasher.combine(url)
    }
}

extension Source {
    var asResource: (any Resource)? {
        guard case .network(let resource) = self else { return nil }
        return resource
    }
}

/// A downloadable image with a cache key.
public protocol Resource: Sendable {
    /// The key under which the image is cached.
    var cacheKey: String { get }

    /// The URL to download from.
    var downloadURL: URL { get }
}

extension Resource {
    /// Makes a source: a file or `data:` URL becomes a provider, anything else a network source.
    ///
    /// - Parameter overrideCacheKey: Overrides the resource's own key.
    /// - Returns: The source.
    public func convertToSource(overrideCacheKey: String? = nil) -> Source {
        let key = overrideCacheKey ?? cacheKey
        if downloadURL.isFileURL {
            return .provider(LocalFileImageDataProvider(fileURL: downloadURL, cacheKey: key))
        }
        if downloadURL.scheme?.lowercased() == "data" {
            return .provider(DataURLImageDataProvider(url: downloadURL, cacheKey: key))
        }
        return .network(KF.ImageResource(downloadURL: downloadURL, cacheKey: key))
    }
}

/// The old name of ``KF/ImageResource``.
@available(*, deprecated, renamed: "KF.ImageResource")
public typealias ImageResource = KF.ImageResource

extension KF {
    /// A URL with a cache key.
    public struct ImageResource: Resource {
        /// The key under which the image is cached.
        public let cacheKey: String
        /// The URL to download from.
        public let downloadURL: URL

        /// Makes a resource.
        ///
        /// - Parameters:
        ///   - downloadURL: The URL to download from.
        ///   - cacheKey: Defaults to the URL's own key.
        public init(downloadURL: URL, cacheKey: String? = nil) {
            self.downloadURL = downloadURL
            self.cacheKey = cacheKey ?? downloadURL.cacheKey
        }
    }
}

extension URL: Resource {
    /// The text of a remote URL; for a file URL, its path with the size of the file and the time of
    /// its last change.
    ///
    /// A changed file therefore has another key. The key of a file URL asks the file system, and
    /// is the path alone if there is no such file. A source or resource keeps the key that the file
    /// had when the source was made.
    public var cacheKey: String { isFileURL ? localFileCacheKey : absoluteString }

    /// The URL itself.
    public var downloadURL: URL { self }

    static var localFileCacheKeyPrefix: String { "kingfisher.local.cacheKey" }

    /// The key of a file's content.
    var localFileCacheKey: String {
        let key = "\(Self.localFileCacheKeyPrefix)/\(pathComponents.joined(separator: "/"))"
        return (query.map { "\(key)?\($0)" } ?? key) + localFileVersion
    }

    /// `#` and the version of the content; empty if there is no such file.
    var localFileVersion: String {
        isFileURL ? FileVersion.text(ofFileAt: path).map { "#\($0)" } ?? "" : ""
    }
}

/// The namespace of the builders; start with functions such as ``url(_:cacheKey:)``.
public enum KF {}
