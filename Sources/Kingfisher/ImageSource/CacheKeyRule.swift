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
    /// Whether the signatures are recognized that have names of a few letters, by their form.
    private var ignoresShortNames = false

    /// Makes a rule.
    ///
    /// - Parameter names: The names of query items that are left out of the key.
    public init(ignoringQueryItems names: Set<String>) {
        ignoredQueryItems = names
    }

    /// The signatures of Amazon S3, CloudFront, Google Cloud Storage, Azure (SAS), Alibaba OSS and
    /// CDN, Tencent COS and imgix, and items named `token`.
    ///
    /// The items of Azure and imgix have names of one or two letters, which others use too. They are
    /// left out only beside a signature: `sig` with `sv`, and an `s` of 32 hexadecimal digits.
    public static let signedURLs = {
        var rule = CacheKeyRule(ignoringQueryItems: [
            "X-Amz-*", "AWSAccessKeyId", "X-Goog-*", "GoogleAccessId", "Key-Pair-Id", "Policy",
            "Expires", "Signature", "token", "OSSAccessKeyId", "security-token", "auth_key",
            "x-oss-signature*", "x-oss-credential", "x-oss-date", "x-oss-expires",
            "x-oss-additional-headers", "x-oss-security-token", "q-sign-algorithm", "q-ak",
            "q-sign-time", "q-key-time", "q-header-list", "q-url-param-list", "q-signature",
            "x-cos-security-token",
        ])
        rule.ignoresShortNames = true
        return rule
    }()

    private static let azureItems: Set<String> = [
        "sv", "ss", "srt", "sr", "sp", "st", "se", "sip", "spr", "sig", "si", "ses", "sdd", "skoid",
        "sktid", "skt", "ske", "sks", "skv", "saoid", "suoid", "scid",
    ]

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
        let short = shortNames(of: items)
        let kept = items.filter {
            let name = Self.name(of: $0)
            return !short.contains(name) && !isIgnored(name)
        }
        guard kept.count < items.count else { return text }
        let rest = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return String(text[..<start]) + rest + text[end...]
    }

    private static func name(of item: Substring) -> String {
        let name = item.prefix { $0 != "=" }
        return (name.removingPercentEncoding ?? String(name)).lowercased()
    }

    /// The short names that belong to a signature.
    private func shortNames(of items: [Substring]) -> Set<String> {
        guard ignoresShortNames else { return [] }
        let names = Set(items.map(Self.name))
        if names.isSuperset(of: ["sig", "sv"]) { return Self.azureItems }
        let isImgix = items.contains { item in
            let value = item.dropFirst(2)
            return item.hasPrefix("s=") && value.utf8.count == 32 && value.allSatisfy(\.isHexDigit)
        }
        return isImgix ? ["s"] : []
    }

    private func isIgnored(_ name: String) -> Bool {
        ignoredQueryItems.contains { pattern in
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
