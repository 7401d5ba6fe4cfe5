import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat

/// Makes the heads of responses by the configuration.
struct ResponseHead: Sendable {
    private let configuration: ServiceConfiguration.Responses
    /// Fields of every response.
    private let common: HTTPFields

    /// Makes the constant parts.
    init(_ configuration: ServiceConfiguration.Responses) {
        self.configuration = configuration
        var fields = HTTPFields()
        if let origin = configuration.allowedOrigin {
            fields[.accessControlAllowOrigin] = origin
            fields[.accessControlAllowMethods] = "GET, HEAD, OPTIONS"
        }
        fields[.server] = configuration.serverName
        for field in configuration.customFields {
            // The configuration has checked the name.
            if let name = HTTPField.Name(field.name) { fields[name] = field.value }
        }
        fields[.xContentTypeOptions] = "nosniff"
        common = fields
    }

    /// The fields of a text.
    func text() -> HTTPFields {
        var fields = common
        fields[.contentType] = "text/plain; charset=utf-8"
        fields[.cacheControl] = "no-store"
        return fields
    }

    /// The paths of an image in several widths, as JSON.
    ///
    /// - Parameters:
    ///   - paths: The widths with their paths.
    ///   - expires: When the paths expire.
    /// - Returns: The response.
    /// - Throws: ``ServiceError`` 500 if they cannot be encoded.
    func widths(
        _ paths: [(width: Int, path: String)],
        expires: Date?
    ) throws(ServiceError) -> Response {
        struct Widths: Encodable {
            struct Source: Encodable {
                let width: Int
                let path: String
            }
            let sources: [Source]
            let srcset: String
        }
        let list = Widths(
            sources: paths.map { .init(width: $0.width, path: $0.path) },
            srcset: paths.map { "\($0.path) \($0.width)w" }.joined(separator: ", ")
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(list) else {
            throw ServiceError(500, "The list cannot be encoded", "Look into the service's log")
        }
        var fields = common
        fields[.contentType] = "application/json"
        setLifetime(&fields, configuration.timeToLive, expires: expires)
        return Response(
            status: .ok,
            headers: fields,
            body: .init(byteBuffer: ByteBuffer(data: data))
        )
    }

    /// The fields of a response without a body.
    func empty() -> HTTPFields { common }

    /// The fields of a result that do not depend on the request's path.
    ///
    /// - Parameters:
    ///   - facts: The facts about the result.
    ///   - vary: The names of the request's fields that decided.
    /// - Returns: The fields.
    func result(_ facts: StoredResult.Facts, vary: [String]) -> HTTPFields {
        var fields = common
        fields[.contentType] = facts.contentType
        // Drawings hold their images.
        let images = facts.contentType == "image/svg+xml" ? "img-src data:; " : ""
        fields[.contentSecurityPolicy] =
            "default-src 'none'; \(images)style-src 'unsafe-inline'; sandbox"
        fields[.eTag] = entityTag(of: facts).map { "\"\($0)\"" }
        fields[.lastModified] = configuration.lastModified(facts.lastModified)
        if !vary.isEmpty { fields[.vary] = vary.joined(separator: ", ") }
        if let dpr = facts.dpr, dpr != 1 {
            fields[.contentDPR] = Int(exactly: dpr).map(String.init) ?? "\(dpr)"
        }
        for (name, value) in facts.passedFields {
            if let name = HTTPField.Name(name), fields[name] == nil { fields[name] = value }
        }
        return fields
    }

    /// The entity tag of a result without quotation marks; nil if tags are off.
    ///
    /// The buster is applied here, so that it changes the tags of results in caches too.
    func entityTag(of facts: StoredResult.Facts) -> String? {
        guard configuration.usesETag else { return nil }
        let buster = configuration.etagBuster
        return buster.isEmpty ? facts.entityTag : Digest.tag(of: [buster, facts.entityTag])
    }

    /// Sets how long clients may keep a result.
    ///
    /// The source's own fields are passed on only for a URL that does not expire. A result of a source
    /// that ended early is asked for again.
    ///
    /// - Parameters:
    ///   - fields: The fields to change.
    ///   - facts: The facts about the result.
    ///   - expires: When the URL expires.
    func setLifetime(
        _ fields: inout HTTPFields,
        _ facts: StoredResult.Facts,
        expires: Date?
    ) {
        guard facts.isTruncated != true else { return setLifetime(&fields, 0, expires: expires) }
        let hasOwn = facts.cacheControl != nil || facts.expires != nil
        guard configuration.passesCacheControl, hasOwn, expires == nil || facts.lifetime == 0 else {
            let own = configuration.passesCacheControl ? facts.lifetime : nil
            let seconds = own.map { Int(clamping: $0 - facts.age) } ?? configuration.timeToLive
            return setLifetime(&fields, seconds, expires: expires)
        }
        fields[.cacheControl] = facts.cacheControl
        fields[.expires] = facts.expires
        fields[.age] = "\(Int(clamping: Double(facts.sourceAge ?? 0) + facts.age))"
    }

    /// Sets how many seconds clients may keep a response, but not beyond the end of its URL.
    func setLifetime(_ fields: inout HTTPFields, _ seconds: Int, expires: Date?) {
        let rest = expires.map { Int(clamping: $0.timeIntervalSinceNow) }
        let seconds = min(seconds, rest ?? seconds)
        fields[.cacheControl] = seconds > 0 ? "max-age=\(seconds), public" : "no-cache"
    }

    /// Sets the name with which browsers save the file.
    ///
    /// - Parameters:
    ///   - fields: The fields to change.
    ///   - request: The parsed path.
    ///   - facts: The facts about the result.
    func setFileName(
        _ fields: inout HTTPFields,
        _ request: ImageRequest,
        _ facts: StoredResult.Facts
    ) {
        fields[.contentDisposition] = ContentDisposition.value(
            name: request.options.fileName
                ?? (request.hidesSource ? "" : request.source.fileName),
            fileExtension: facts.fileExtension,
            isAttachment: request.options.returnsAttachment ?? configuration.returnsAttachment
        )
    }

    /// Names the source as the original of a result, if the configuration asks for it.
    func setCanonicalLink(_ fields: inout HTTPFields, _ request: ImageRequest) {
        if configuration.setsCanonicalLink, !request.hidesSource,
            case .web(let url) = request.source
        {
            fields[.link] = "<\(url.absoluteString)>; rel=\"canonical\""
        }
    }
}

extension ImageReference {
    /// The name of the source's file without its extension; may be empty.
    var fileName: String {
        let path =
            switch self {
            case .web(let url): url.path
            case .local(let path): path
            case .object(_, _, let key): key
            }
        let name = path.split(separator: "/").last ?? ""
        guard let point = name.lastIndex(of: "."), point != name.startIndex else {
            return String(name)
        }
        return String(name[..<point])
    }
}

extension StoredResult.Facts {
    /// The seconds since the result was made.
    fileprivate var age: TimeInterval { Date().timeIntervalSince1970 - Double(created) }
}

extension Int {
    /// A number of seconds from 0 to about 30 years.
    fileprivate init(clamping seconds: TimeInterval) {
        self = Int(Swift.max(0, Swift.min(seconds, 1e9)))
    }
}
