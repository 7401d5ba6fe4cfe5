public import Foundation
import Kingfisher

extension ServiceConfiguration {
    /// Which sources may be loaded.
    public struct Sources: Sendable {
        /// Prefixes of allowed sources, in which `*` stands for any text without a slash; empty
        /// for all.
        public var allowed: [String] = []
        /// The beginning of all sources; empty for none.
        public var baseURL = ""
        /// Beginnings of sources that stand for others, applied before ``allowed``.
        var replacements: [SourceReplacement] = []
        /// The folder of `local://` sources; nil refuses them.
        public var localRoot: String?
        /// Whether web servers on this machine may be asked.
        public var allowsLoopback = false
        /// Whether addresses of the local link may be asked.
        public var allowsLinkLocal = false
        /// Whether addresses of private networks may be asked.
        public var allowsPrivate = false
        /// Whether certificates are accepted without verification; of redirects' hosts they never
        /// are.
        public var ignoresCertificates = false
        /// The `User-Agent` of requests for sources.
        public var userAgent = "Kingfisher"
        /// Fields that every request for a source has.
        public var customFields: [HeaderField] = []
        /// Fields of a client's request that are sent to the source.
        public var requestHeaders: [String] = []
        /// Fields of a source's response that are sent to all clients that get its results.
        public var responseHeaders: [String] = []
        /// The names of query items of web sources that are not part of their keys in the caches,
        /// such as signatures; a `*` at the end of a name stands for any rest.
        public var ignoredQueryItems: [String] = []
        /// Whether a client's cookies are sent to sources of their site.
        public var passesCookies = false
        /// Whether a client's cookies are sent to all sources of the web.
        public var passesCookiesToAll = false
        /// The site of the cookies; nil for the host of the client's request.
        public var cookieBaseURL: URL?
        /// The limit for loading a source.
        public var timeout = Duration.seconds(5)
        /// The most redirects.
        public var maximalRedirects = 10
        /// The largest source in bytes; nil for 256 MiB.
        public var maximalFileSize: Int?

        /// Makes the default settings.
        public init() {}

        static let entries: [ConfigurationEntry] = [
            .init("IMGPROXY_ALLOWED_SOURCES", \.sources.allowed, .list(of: .text), .answers),
            .init("IMGPROXY_BASE_URL", \.sources.baseURL, .text, .answers),
            .init("IMGPROXY_URL_REPLACEMENTS", \.sources.replacements, .replacements, .answers),
            .init("IMGPROXY_LOCAL_FILESYSTEM_ROOT", \.sources.localRoot, .absolutePath, .sources),
            .init(
                "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES",
                \.sources.allowsLoopback,
                .flag,
                .sources
            ),
            .init(
                "IMGPROXY_ALLOW_LINK_LOCAL_SOURCE_ADDRESSES",
                \.sources.allowsLinkLocal,
                .flag,
                .sources
            ),
            .init(
                "IMGPROXY_ALLOW_PRIVATE_SOURCE_ADDRESSES",
                \.sources.allowsPrivate,
                .flag,
                .sources
            ),
            .init(
                "IMGPROXY_IGNORE_SSL_VERIFICATION",
                \.sources.ignoresCertificates,
                .flag,
                .sources
            ),
            .init("IMGPROXY_USER_AGENT", \.sources.userAgent, .text, .sources),
            .init(
                "IMGPROXY_CUSTOM_REQUEST_HEADERS",
                \.sources.customFields,
                .headerFields,
                .sources,
                isSecret: true
            ),
            .init(
                "IMGPROXY_REQUEST_HEADERS_PASSTHROUGH",
                \.sources.requestHeaders,
                .list(of: .headerName),
                .answers
            ),
            .init(
                "IMGPROXY_RESPONSE_HEADERS_PASSTHROUGH",
                \.sources.responseHeaders,
                .list(of: .headerName),
                .results
            ),
            .init("KF_SOURCE_KEY_QUERY", \.sources.ignoredQueryItems, .list(of: .text), .sources),
            .init("IMGPROXY_COOKIE_PASSTHROUGH", \.sources.passesCookies, .flag, .answers),
            .init(
                "IMGPROXY_COOKIE_PASSTHROUGH_ALL",
                \.sources.passesCookiesToAll,
                .flag,
                .answers
            ),
            .init(
                "IMGPROXY_COOKIE_BASE_URL",
                \.sources.cookieBaseURL,
                .webAddress,
                .answers
            ),
            .init("IMGPROXY_DOWNLOAD_TIMEOUT", \.sources.timeout, .seconds, .answers),
            .init(
                "IMGPROXY_MAX_REDIRECTS",
                \.sources.maximalRedirects,
                .integer(0...100),
                .answers
            ),
            .init("IMGPROXY_MAX_SRC_FILE_SIZE", \.sources.maximalFileSize, .fileSize, .answers),
        ]
    }
}

extension ServiceConfiguration.Sources {
    /// The rule for keys of web sources; nil if all of an address is part of them.
    var keyRule: CacheKeyRule? {
        ignoredQueryItems.isEmpty
            ? nil : CacheKeyRule(ignoringQueryItems: Set(ignoredQueryItems))
    }
}

extension ConfigurationFormat<[SourceReplacement]> {
    fileprivate static let replacements = ConfigurationFormat(
        expected: "beginnings of sources and their replacements, such as shop://=s3://images/;a=b",
        parse: { text in
            let parts = text.split(separator: ";").map(\.trimmed).filter { !$0.isEmpty }
            let values = parts.compactMap { SourceReplacement($0) }
            return values.count == parts.count ? values : nil
        },
        text: { $0.map(\.text).joined(separator: ";") }
    )
}

extension ConfigurationFormat<Int?> {
    /// A number of bytes; 0 for no limit of its own.
    fileprivate static let fileSize = ConfigurationFormat(
        expected: ConfigurationFormat<Int>.bytes.expected,
        parse: { text in
            text.isEmpty
                ? .some(nil) : ConfigurationFormat<Int>.bytes.parse(text).map { $0 == 0 ? nil : $0 }
        },
        text: { "\($0 ?? 0)" }
    )
}
