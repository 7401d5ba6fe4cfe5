public import Foundation

extension ServiceConfiguration {
    /// The header fields and the fallback of responses.
    public struct Responses: Sendable {
        /// How many seconds clients may keep results; 0 forbids it.
        public var timeToLive = 31_536_000
        /// Whether the source's `Cache-Control` and `Expires` decide in place of ``timeToLive``.
        public var passesCacheControl = false
        /// Whether a `Link` field names the source as the canonical address.
        public var setsCanonicalLink = false
        /// Whether responses have an `ETag`.
        public var usesETag = true
        /// A text that changes all entity tags.
        public var etagBuster = ""
        /// Whether responses have the source's modification date.
        public var usesLastModified = true
        /// The origin that may read responses, or `*`; nil for none.
        public var allowedOrigin: String?
        /// A text that requests must have in `Authorization: Bearer`; nil for none.
        public var secret: String?
        /// Whether browsers save results rather than show them.
        public var returnsAttachment = false
        /// Fields that all responses get.
        public var customFields: [HeaderField] = []
        /// The `Server` field; nil for none.
        public var serverName: String?
        /// Whether errors show their details to clients.
        public var showsErrors = false
        /// Whether responses describe the source, the result and the work.
        public var setsDebugFields = false
        /// The file that is sent in place of errors.
        public var fallbackData: Data?
        /// The path of the file that is sent in place of errors.
        public var fallbackPath: String?
        /// The address of the file that is sent in place of errors.
        public var fallbackURL: URL?
        /// The status of responses with the fallback; 0 for that of the error.
        public var fallbackStatus = 200
        /// How many seconds clients may keep the fallback; 0 for ``timeToLive``.
        public var fallbackTimeToLive = 0
        /// The earliest time of `Last-Modified`; nil for that of the source.
        public var lastModifiedBuster: Date?

        /// Makes the default settings.
        public init() {}

        static let entries: [ConfigurationEntry] = [
            .init("IMGPROXY_TTL", \.responses.timeToLive, .integer(0...315_360_000), .answers),
            .init(
                "IMGPROXY_CACHE_CONTROL_PASSTHROUGH",
                \.responses.passesCacheControl,
                .flag,
                .results
            ),
            .init("IMGPROXY_SET_CANONICAL_HEADER", \.responses.setsCanonicalLink, .flag, .answers),
            .init("IMGPROXY_USE_ETAG", \.responses.usesETag, .flag, .answers),
            .init("IMGPROXY_ETAG_BUSTER", \.responses.etagBuster, .text, .answers),
            .init("IMGPROXY_USE_LAST_MODIFIED", \.responses.usesLastModified, .flag, .answers),
            .init(
                "IMGPROXY_LAST_MODIFIED_BUSTER",
                \.responses.lastModifiedBuster,
                .time,
                .answers
            ),
            .init("IMGPROXY_ALLOW_ORIGIN", \.responses.allowedOrigin, .text, .answers),
            .init("IMGPROXY_SECRET", \.responses.secret, .token, .answers, isSecret: true),
            .init("IMGPROXY_RETURN_ATTACHMENT", \.responses.returnsAttachment, .flag, .answers),
            .init(
                "IMGPROXY_CUSTOM_RESPONSE_HEADERS",
                \.responses.customFields,
                .headerFields,
                .answers
            ),
            .init("IMGPROXY_SERVER_NAME", \.responses.serverName, .text, .answers),
            .init("IMGPROXY_DEVELOPMENT_ERRORS_MODE", \.responses.showsErrors, .flag, .answers),
            .init("IMGPROXY_ENABLE_DEBUG_HEADERS", \.responses.setsDebugFields, .flag, .answers),
            .init("IMGPROXY_FALLBACK_IMAGE_DATA", \.responses.fallbackData, .base64, .answers),
            .init("IMGPROXY_FALLBACK_IMAGE_PATH", \.responses.fallbackPath, .text, .answers),
            .init("IMGPROXY_FALLBACK_IMAGE_URL", \.responses.fallbackURL, .webAddress, .answers),
            .init(
                "IMGPROXY_FALLBACK_IMAGE_HTTP_CODE",
                \.responses.fallbackStatus,
                .status,
                .answers
            ),
            .init(
                "IMGPROXY_FALLBACK_IMAGE_TTL",
                \.responses.fallbackTimeToLive,
                .integer(0...315_360_000),
                .answers
            ),
        ]
    }
}

extension ServiceConfiguration.Responses {
    /// The modification date of a response.
    ///
    /// - Parameter source: That of the source, if known.
    /// - Returns: The date; nil for none.
    func lastModified(_ source: String?) -> String? {
        guard usesLastModified else { return nil }
        guard let earliest = lastModifiedBuster.map({ Int($0.timeIntervalSince1970) }) else {
            return source
        }
        let own = source.flatMap(HTTPTime.seconds) ?? .min
        return own < earliest ? HTTPTime.text(earliest) : source
    }
}

extension ConfigurationFormat<Date> {
    /// A time.
    fileprivate static let time = ConfigurationFormat(
        expected: "a time such as 2026-01-31T12:00:00Z",
        parse: { try? Date($0, strategy: .iso8601) },
        text: { $0.formatted(.iso8601) }
    )
}

extension ConfigurationFormat<Int> {
    /// An HTTP status of a response with a body, or 0.
    fileprivate static let status = ConfigurationFormat(
        expected: "0 or an HTTP status from 200 to 599",
        parse: { text in
            Int(text).flatMap {
                $0 == 0 || (200...599).contains($0) && $0 != 204 && $0 != 304 ? $0 : nil
            }
        },
        text: { "\($0)" }
    )
}
