import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The pages for trying the service: `/` builds URLs and shows their results, `/live` shows figures.
///
/// They sign every path that they get, so `KF_PLAYGROUND` is for development only.
struct Playground: Sendable {
    private let grammar: GrammarSettings
    private let allowsMetrics: Bool

    /// Makes the pages.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the service.
    ///   - grammar: Reads and signs paths.
    init(configuration: ServiceConfiguration, grammar: GrammarSettings) {
        self.grammar = grammar
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
        // A page of another site must not use this one for signing.
        let site = request.headers[.secFetchSite]
        guard site == nil || site == "same-origin" || site == "none" else {
            return json(Signed(error: "only the page of this service may sign"), .forbidden)
        }
        let query = request.head.path?.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        guard query.hasPrefix("path="),
            let rest = PercentEncoding.decoded(query.dropFirst("path=".count)),
            rest.utf8.first == UInt8(ascii: "/")
        else { return json(Signed(error: "write ?path=/options/source"), .badRequest) }
        let prefix = grammar.pathPrefix.split(separator: "/").map { "/\($0)" }.joined()
        let path = "\(prefix)/\(grammar.signature.signature(of: rest))\(rest)"
        do throws(ServiceError) {
            let parsed = try ImageRequest.parse(path, with: grammar)
            return json(Signed(path: path, options: parsed.options.canonicalKey), .ok)
        } catch {
            return json(Signed(error: error.message), .init(code: error.status))
        }
    }

    private func json(_ signed: Signed, _ status: HTTPResponse.Status) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Three texts can always be encoded.
        let data = (try? encoder.encode(signed)) ?? Data()
        return page(String(decoding: data, as: UTF8.self), "application/json", status: status)
    }
}
