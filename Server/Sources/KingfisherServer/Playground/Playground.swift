import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The pages for trying the service: `/` builds URLs and shows their results, `/live` shows figures.
///
/// They sign every path that they get, so `KF_PLAYGROUND` is for development only.
struct Playground: Sendable {
    /// The path to which the page sends a file that was dropped on it.
    static let filePath = "/playground/file"

    /// The files that are processed now.
    let files: DroppedFiles
    private let grammar: GrammarSettings
    private let allowsMetrics: Bool

    /// Makes the pages.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the service.
    ///   - grammar: Reads and signs paths.
    init(configuration: ServiceConfiguration, grammar: GrammarSettings) {
        self.grammar = grammar
        files = DroppedFiles(maximalSize: configuration.sources.maximalFileSize)
        allowsMetrics = configuration.operation.metricsAddress == nil
    }

    /// Answers a request for one of the pages; nil for all other requests.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - path: Its path without prefix and query.
    /// - Returns: The response, or nil.
    func response(to request: Request, path: Substring) -> Response? {
        guard request.method == .get || request.method == .head else { return nil }
        switch path {
        case "/": return page(PlaygroundFiles.page, "text/html")
        case "/live" where allowsMetrics: return page(PlaygroundFiles.live, "text/html")
        case "/playground/style.css": return page(PlaygroundFiles.style, "text/css")
        case "/playground/page.js": return page(PlaygroundFiles.script, "text/javascript")
        case "/playground/live.js": return page(PlaygroundFiles.liveScript, "text/javascript")
        case "/playground/sign": return signed(request)
        default: return nil
        }
    }

    private func page(_ text: String, _ type: String, status: HTTPResponse.Status = .ok) -> Response
    {
        var fields = HTTPFields()
        fields[.contentType] = "\(type); charset=utf-8"
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        fields[.contentSecurityPolicy] =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src 'self' blob:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        return Response(
            status: status,
            headers: fields,
            body: .init(byteBuffer: ByteBuffer(string: text))
        )
    }

    /// The answer to `/playground/sign?path=…`.
    private struct Signed: Encodable {
        var path: String?
        var options: String?
        var error: String?
    }

    /// Signs the path in the query, if it is valid, as JSON.
    private func signed(_ request: Request) -> Response {
        guard Self.isFromItself(request) else {
            return json(Signed(error: "only the page of this service may sign"), .forbidden)
        }
        guard let rest = Self.path(in: request) else {
            return json(Signed(error: "write ?path=/options/source"), .badRequest)
        }
        let prefix = grammar.pathPrefix.split(separator: "/").map { "/\($0)" }.joined()
        let path = "\(prefix)/\(grammar.signature.signature(of: rest))\(rest)"
        do throws(ServiceError) {
            let parsed = try ImageRequest.parse(path, with: grammar)
            return json(Signed(path: path, options: parsed.options.canonicalKey), .ok)
        } catch {
            return json(Signed(error: error.message), .init(code: error.status))
        }
    }

    /// Whether a request may come from this page: one of another site must not use its powers.
    private static func isFromItself(_ request: Request) -> Bool {
        let site = request.headers[.secFetchSite]
        return site == nil || site == "same-origin" || site == "none"
    }

    /// The path in the query, `?path=/…`; nil if there is none.
    private static func path(in request: Request) -> String? {
        let query = request.head.path?.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        guard query.hasPrefix("path="),
            let path = PercentEncoding.decoded(query.dropFirst("path=".count)),
            path.utf8.first == UInt8(ascii: "/")
        else { return nil }
        return path
    }

    /// The options for a file that the page sends, from `?path=/options`.
    ///
    /// - Throws: ``ServiceError`` 400 without options, 403 for pages of other sites, 404 for wrong
    ///   options.
    func options(of request: Request) throws(ServiceError) -> ProcessingOptions {
        guard Self.isFromItself(request) else {
            throw ServiceError(403, "Another page must not send files", "Open that of this service")
        }
        guard let path = Self.path(in: request) else {
            throw ServiceError(400, "The query has no options", "Write ?path=/options")
        }
        return try ImageRequest.options(path, with: grammar)
    }

    private func json(_ signed: Signed, _ status: HTTPResponse.Status) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Three texts can always be encoded.
        let data = (try? encoder.encode(signed)) ?? Data()
        return page(String(decoding: data, as: UTF8.self), "application/json", status: status)
    }
}
