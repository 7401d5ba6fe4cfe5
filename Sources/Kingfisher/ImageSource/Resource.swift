public import Foundation

/// Something that can be downloaded and has a cache key.
public protocol Resource: Sendable {
    /// The key under which the image is cached.
    var cacheKey: String { get }

    /// Where to download from.
    var downloadURL: URL { get }
}

extension Resource {
    /// Makes a source: a file or `data:` URL becomes a provider, anything else a network source.
    ///
    /// - Parameter overrideCacheKey: Wins over the resource's own key.
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
    /// A URL and a key.
    public struct ImageResource: Resource {
        /// The key under which the image is cached.
        public let cacheKey: String
        /// Where to download from.
        public let downloadURL: URL

        /// Makes a resource; the key is the URL's own unless given.
        public init(downloadURL: URL, cacheKey: String? = nil) {
            self.downloadURL = downloadURL
            self.cacheKey = cacheKey ?? downloadURL.cacheKey
        }
    }
}

extension URL: Resource {
    /// The text of a remote URL; for a file URL its path from the application's bundle on.
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

/// The entry points of the builder style, and a namespace.
public enum KF {}
