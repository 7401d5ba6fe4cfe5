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
