public import Foundation

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
    /// The text of a remote URL; for a file URL, its path starting at the application's bundle.
    public var cacheKey: String { isFileURL ? localFileCacheKey : absoluteString }

    /// The URL itself.
    public var downloadURL: URL { self }

    static var localFileCacheKeyPrefix: String { "kingfisher.local.cacheKey" }

    /// A key that stays the same when the application's folder moves.
    var localFileCacheKey: String {
        let bundle = pathComponents.lastIndex { $0.hasSuffix(".app") || $0.hasSuffix(".appex") }
        let kept = bundle.map { Array(pathComponents[$0...]) } ?? pathComponents
        let key = "\(Self.localFileCacheKeyPrefix)/\(kept.joined(separator: "/"))"
        return query.map { "\(key)?\($0)" } ?? key
    }
}

/// The namespace of the builders; start with functions such as ``url(_:cacheKey:)``.
public enum KF {}
