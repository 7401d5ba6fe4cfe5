package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// What must be equal for two requests to be given one answer.
///
/// URL without its fragment, method, body, every header that can change the answer, and the rules
/// of the transfer that can: a caller who may not reach a private address must not be given what
/// another caller fetched from there. Time-outs and priority do not count: the first caller's hold.
///
/// An object, because a download is looked up several times, and each finds itself.
package final class RequestIdentity: Hashable, Sendable {
    /// Headers that name the request rather than what is asked for.
    ///
    /// Short on purpose: a header missing here costs a second transfer, one too many here gives
    /// someone the wrong picture.
    static let tracingHeaders: Set<String> = [
        "b3", "traceparent", "tracestate", "x-amzn-trace-id", "x-cloud-trace-context",
        "x-correlation-id", "x-request-id",
    ]

    private struct Content: Equatable {
        let url: String
        let method: String
        let headers: [String: String]
        let body: Data?
        let maxBodyBytes: Int
        let maxRedirects: Int
        let redirectSchemes: Set<String>
        let addressPolicy: AddressPolicy
        let trustedHosts: Set<String>
        let allowsConstrainedNetwork: Bool
        let headersKeptAcrossOrigins: Set<String>
        let owner: RequestOwner
        let asked: URL?
        let condition: HTTPCondition?

        init(
            _ request: URLRequest,
            _ settings: TransferSettings,
            _ owner: RequestOwner,
            _ asked: URL?,
            _ condition: HTTPCondition?
        ) {
            let text = request.url?.absoluteString ?? ""
            url = text.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(text[..<$0]) } ?? text
            method = request.httpMethod ?? "GET"
            var headers: [String: String] = [:]
            for (name, value) in settings.extraHeaders { headers[name.lowercased()] = value }
            for (name, value) in request.allHTTPHeaderFields ?? [:] {
                headers[name.lowercased()] = value
            }
            for name in tracingHeaders where !headers.isEmpty { headers[name] = nil }
            self.headers = headers
            body = request.httpBody
            maxBodyBytes = settings.maxBodyBytes
            maxRedirects = settings.maxRedirects
            redirectSchemes = settings.redirectSchemes
            addressPolicy = settings.addressPolicy
            trustedHosts = settings.trustedHosts
            allowsConstrainedNetwork = settings.allowsConstrainedNetwork
            headersKeptAcrossOrigins = settings.headersKeptAcrossOrigins
            self.owner = owner
            self.asked = asked
            self.condition = condition
        }
    }

    /// The URL that the callers know the request by.
    let asked: URL?
    private let content: Content
    /// Of URL and method alone: few that run at the same time differ in the rest.
    private let hash: Int

    /// Reads the identity of a request.
    ///
    /// - Parameters:
    ///   - request: The request as it will be sent.
    ///   - settings: Its settings; extra headers count like the request's own.
    ///   - owner: Decides about redirects.
    ///   - asked: The URL that the callers cancel it by.
    ///   - condition: What is sent to one URL among them, which then may answer without a body.
    package init(
        _ request: URLRequest,
        settings: TransferSettings,
        owner: RequestOwner = .nobody,
        asked: URL? = nil,
        condition: HTTPCondition? = nil
    ) {
        self.asked = asked ?? request.url
        content = Content(request, settings, owner, asked, condition)
        var hasher = Hasher()
        hasher.combine(content.url)
        hasher.combine(content.method)
        hash = hasher.finalize()
    }

    package static func == (a: RequestIdentity, b: RequestIdentity) -> Bool {
        a === b || (a.hash == b.hash && a.content == b.content)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// The request's name for all times and processes: what decides about the bytes of the answer,
    /// hashed, because headers can be secrets.
    ///
    /// `nil` for a request whose answer cannot be continued: it asks for a part already, or for
    /// something only if it has changed, or it is no GET.
    var resumptionKey: String? {
        let conditional = ["range", "if-range", "if-match", "if-none-match", "if-modified-since"]
        guard content.method == "GET", content.body == nil, content.condition == nil,
            conditional.allSatisfy({ content.headers[$0] == nil })
        else { return nil }
        let hash = SHA256()
        // What is part of the key ends with a byte that neither a URL nor a header can have.
        let headers = content.headers.sorted { $0.key < $1.key }
        for text in [content.url] + headers.flatMap({ [$0.key, $0.value] }) {
            hash.update(Data(text.utf8))
            hash.update(Data([0]))
        }
        return hash.finalize().withUnsafeBytes { Hexadecimal.text(of: $0) }
    }
}

/// Who is asked about the redirects of a request: two owners could lead to two images.
///
/// `@unchecked`: the object is compared by its address and never used.
package enum RequestOwner: @unchecked Sendable, Equatable {
    /// Every redirect that the settings allow is followed.
    case nobody
    /// Any object of a type without state.
    case type(ObjectIdentifier)
    /// This object alone; held, so that its address is not given to another one.
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
