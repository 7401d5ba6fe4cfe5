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

    /// The request as it will be sent.
    let request: URLRequest
    let settings: TransferSettings
    /// A condition for one URL, which may then respond without a body.
    let condition: HTTPCondition?
    private let name: String?
    private let owner: RequestOwner
    private let epoch: Int
    private let chosen: URL?
    /// The URL without its fragment.
    private let url: String
    /// The hash of URL and method; concurrent requests rarely differ only in the rest, so that the rest
    /// is made when it is compared.
    private let hash: Int

    /// Computes the identity of a request.
    ///
    /// - Parameters:
    ///   - request: The request as it will be sent.
    ///   - name: The name of the response, if requests to several URLs share it.
    ///   - settings: The settings; extra headers count like the request's own.
    ///   - owner: Decides about redirects.
    ///   - epoch: Differs for a request that must not share a response that was requested earlier.
    ///   - asked: The URL by which callers cancel the request.
    ///   - condition: A condition for one URL, which may then respond without a body.
    package init(
        _ request: URLRequest,
        name: String? = nil,
        settings: TransferSettings,
        owner: RequestOwner = .nobody,
        epoch: Int = 0,
        asked: URL? = nil,
        condition: HTTPCondition? = nil
    ) {
        self.request = request
        self.name = name
        self.settings = settings
        self.owner = owner
        self.epoch = epoch
        self.condition = condition
        chosen = asked
        let text = request.url?.absoluteString ?? ""
        url = text.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(text[..<$0]) } ?? text
        var hasher = Hasher()
        hasher.combine(name ?? url)
        hasher.combine(request.httpMethod ?? "GET")
        hash = hasher.finalize()
    }

    package static func == (a: RequestIdentity, b: RequestIdentity) -> Bool {
        a === b || (a.hash == b.hash && a.hasSameContent(as: b))
    }

    private func hasSameContent(as other: RequestIdentity) -> Bool {
        (name == nil ? other.name == nil && url == other.url : name == other.name)
            && method == other.method && headers == other.headers
            && request.httpBody == other.request.httpBody
            && settings.selecting == other.settings.selecting && owner == other.owner
            && epoch == other.epoch
            && chosen == other.chosen && condition == other.condition
    }

    /// The URL by which the callers know the request.
    var asked: URL? { chosen ?? request.url }

    private var method: String { request.httpMethod ?? "GET" }

    /// The fields that can change the response, with names in lower case.
    private var headers: [String: String] {
        var headers: [String: String] = [:]
        for (name, value) in settings.extraHeaders { headers[name.lowercased()] = value }
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            headers[name.lowercased()] = value
        }
        return headers.filter { !Self.tracingHeaders.contains($0.key) }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// A stable key of the request across processes.
    ///
    /// It is a hash of the properties that determine the bytes of the response, because headers can
    /// be secrets. `nil` if the response cannot be continued: the request is conditional, requests
    /// a range, or is not a GET.
    var resumptionKey: String? {
        let conditional = ["range", "if-range", "if-match", "if-none-match", "if-modified-since"]
        let headers = headers
        guard method == "GET", request.httpBody == nil, condition == nil,
            conditional.allSatisfy({ headers[$0] == nil }),
            !CacheControl(ofRequest: { headers[$0.lowercased()] }).isNoStore
        else { return nil }
        let hash = SHA256()
        // Each part ends with a zero byte, which neither a URL nor a header can contain.
        let sorted = headers.sorted { $0.key < $1.key }
        for text in [url] + settings.server + sorted.flatMap({ [$0.key, $0.value] }) {
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
