import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The properties in which two requests must agree to share a response.
///
/// These are the URL without its fragment, the method, the body, all headers that can change the
/// response, and all transfer settings but those that only say how fast it comes: a caller that may
/// not connect to private addresses must not receive a response that another caller loaded from one.
/// Time-outs and priority do not count; those of the first caller apply.
///
/// A class, because a download is looked up several times and then compares by reference first.
package final class RequestIdentity: Hashable, Sendable {
    /// Headers that identify the request rather than its content.
    ///
    /// Short on purpose: a missing header costs a second transfer, but one too many delivers the
    /// wrong image.
    static let tracingHeaders: Set<String> = [
        "b3", "cdn-loop", "traceparent", "tracestate", "x-amzn-trace-id", "x-cloud-trace-context",
        "x-correlation-id", "x-request-id",
    ]

    private struct Content: Equatable {
        let url: String
        /// Replaces the URL for requests that have the same name.
        let name: String?
        let method: String
        let headers: [String: String]
        let body: Data?
        let settings: TransferSettings
        let owner: RequestOwner
        let asked: URL?
        let condition: HTTPCondition?

        init(
            _ request: URLRequest,
            _ name: String?,
            _ settings: TransferSettings,
            _ owner: RequestOwner,
            _ asked: URL?,
            _ condition: HTTPCondition?
        ) {
            let text = request.url?.absoluteString ?? ""
            url = text.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(text[..<$0]) } ?? text
            self.name = name
            method = request.httpMethod ?? "GET"
            var headers: [String: String] = [:]
            for (name, value) in settings.extraHeaders { headers[name.lowercased()] = value }
            for (name, value) in request.allHTTPHeaderFields ?? [:] {
                headers[name.lowercased()] = value
            }
            if !headers.isEmpty { for name in tracingHeaders { headers[name] = nil } }
            self.headers = headers
            body = request.httpBody
            self.settings = settings.selecting
            self.owner = owner
            self.asked = asked
            self.condition = condition
        }

        static func == (a: Content, b: Content) -> Bool {
            (a.name == nil ? b.name == nil && a.url == b.url : a.name == b.name)
                && a.method == b.method && a.headers == b.headers && a.body == b.body
                && a.settings == b.settings && a.owner == b.owner && a.asked == b.asked
                && a.condition == b.condition
        }
    }

    /// The URL by which the callers know the request.
    let asked: URL?
    private let content: Content
    /// The hash of URL and method; concurrent requests rarely differ only in the rest.
    private let hash: Int

    /// Computes the identity of a request.
    ///
    /// - Parameters:
    ///   - request: The request as it will be sent.
    ///   - name: The name of the response, if requests to several URLs share it.
    ///   - settings: The settings; extra headers count like the request's own.
    ///   - owner: Decides about redirects.
    ///   - asked: The URL by which callers cancel the request.
    ///   - condition: A condition for one URL, which may then respond without a body.
    package init(
        _ request: URLRequest,
        name: String? = nil,
        settings: TransferSettings,
        owner: RequestOwner = .nobody,
        asked: URL? = nil,
        condition: HTTPCondition? = nil
    ) {
        self.asked = asked ?? request.url
        content = Content(request, name, settings, owner, asked, condition)
        var hasher = Hasher()
        hasher.combine(content.name ?? content.url)
        hasher.combine(content.method)
        hash = hasher.finalize()
    }

    package static func == (a: RequestIdentity, b: RequestIdentity) -> Bool {
        a === b || (a.hash == b.hash && a.content == b.content)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// A stable key of the request across processes.
    ///
    /// It is a hash of the properties that determine the bytes of the response, because headers can
    /// be secrets. `nil` if the response cannot be continued: the request is conditional, requests
    /// a range, or is not a GET.
    var resumptionKey: String? {
        let conditional = ["range", "if-range", "if-match", "if-none-match", "if-modified-since"]
        guard content.method == "GET", content.body == nil, content.condition == nil,
            conditional.allSatisfy({ content.headers[$0] == nil }),
            !CacheControl(ofRequest: { content.headers[$0.lowercased()] }).isNoStore
        else { return nil }
        let hash = SHA256()
        // Each part ends with a zero byte, which neither a URL nor a header can contain.
        let headers = content.headers.sorted { $0.key < $1.key }
        for text in [content.url] + content.settings.server
            + headers.flatMap({ [$0.key, $0.value] })
        {
            hash.update(Data(text.utf8))
            hash.update(Data([0]))
        }
        return hash.finalize().withUnsafeBytes { Hexadecimal.text(of: $0) }
    }
}

/// The object that decides about redirects; two owners could lead to different images.
///
/// `@unchecked`: the object is only compared by identity.
package enum RequestOwner: @unchecked Sendable, Equatable {
    /// All redirects that the settings allow are followed.
    case nobody
    /// Any object of a type without state.
    case type(ObjectIdentifier)
    /// This object only; retained, so that its address is not reused.
    case object(AnyObject)

    package static func == (a: RequestOwner, b: RequestOwner) -> Bool {
        switch (a, b) {
        case (.nobody, .nobody): true
        case (.type(let a), .type(let b)): a == b
        case (.object(let a), .object(let b)): a === b
        default: false
        }
    }
}
