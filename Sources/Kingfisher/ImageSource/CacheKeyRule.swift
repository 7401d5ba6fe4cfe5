public import Foundation

/// The parts of a URL that do not identify its image, for example a signature that is new on each
/// page.
///
/// ```swift
/// KingfisherManager.shared.defaultOptions = [.cacheKeyRule(.signedURLs)]
/// ```
///
/// The request is still sent to the whole URL. A cached image is used whatever its signature was, so
/// do not use a rule where the signature decides what the users of one cache may see.
public struct CacheKeyRule: Sendable, Hashable {
    /// The names of query items that are left out of the key, compared without case.
    ///
    /// A `*` at the end of a name stands for any rest.
    public var ignoredQueryItems: Set<String>

    /// Makes a rule.
    ///
    /// - Parameter names: The names of query items that are left out of the key.
    public init(ignoringQueryItems names: Set<String>) {
        ignoredQueryItems = names
    }

    /// The signatures of Amazon S3, CloudFront and Google Cloud Storage, and items named `token`.
    public static let signedURLs = CacheKeyRule(ignoringQueryItems: [
        "X-Amz-*", "AWSAccessKeyId", "X-Goog-*", "GoogleAccessId", "Key-Pair-Id", "Policy",
        "Expires", "Signature", "token",
    ])

    /// The key of a URL: its text without the ignored query items; the others keep their order.
    public func key(for url: URL) -> String {
        let text = url.cacheKey
        // A question mark in the fragment begins no query.
        let end = text.firstIndex(of: "#") ?? text.endIndex
        guard !url.isFileURL, !ignoredQueryItems.isEmpty,
            let start = text[..<end].firstIndex(of: "?")
        else { return text }
        let query = text[text.index(after: start)..<end]
        let items = query.split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.filter { !isIgnored($0.prefix { $0 != "=" }) }
        guard kept.count < items.count else { return text }
        let rest = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return String(text[..<start]) + rest + text[end...]
    }

    private func isIgnored(_ name: Substring) -> Bool {
        let name = (name.removingPercentEncoding ?? String(name)).lowercased()
        return ignoredQueryItems.contains { pattern in
            let pattern = pattern.lowercased()
            return pattern.hasSuffix("*")
                ? name.hasPrefix(pattern.dropLast()) : name == pattern
        }
    }
}

extension Source {
    /// The source with the key that a rule makes of its URL.
    ///
    /// Loads with the option ``KingfisherOptionsInfoItem/cacheKeyRule(_:)`` do this themselves. Use
    /// it to look for an image in a cache.
    ///
    /// - Parameter rule: The rule; nil for none.
    /// - Returns: This source if it is not a download, or has a key of its own.
    public func keyed(by rule: CacheKeyRule?) -> Source {
        guard let rule, case .network(let resource) = self,
            resource.cacheKey == resource.downloadURL.cacheKey
        else { return self }
        let url = resource.downloadURL
        return .network(KF.ImageResource(downloadURL: url, cacheKey: rule.key(for: url)))
    }
}
