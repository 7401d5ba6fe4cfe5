import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Determines the request that follows a redirect (RFC 9110, 15.4).
struct RedirectRules {
    /// The statuses of redirects.
    static let statuses: Set = [301, 302, 303, 307, 308]

    let settings: TransferSettings

    /// The request for the target of `response`; `nil` if it is not a redirect.
    ///
    /// - Throws: ``TransferError/redirectRefused(target:url:)`` and
    ///   ``TransferError/badResponse(reason:url:)``.
    func next(
        after request: URLRequest,
        _ response: TransferResponse
    ) throws(TransferError) -> URLRequest? {
        guard Self.statuses.contains(response.statusCode),
            let location = response.values(for: "Location").first
        else { return nil }
        let base = response.url
        guard let target = URL(string: location, relativeTo: base)?.absoluteURL,
            target.host?.isEmpty == false || target.scheme?.lowercased() != base.scheme
        else {
            // The text may have a signature, and no form in which it could be found.
            throw .badResponse(reason: "it redirects to no valid URL", url: base)
        }
        return try redirected(request, to: target, from: base, status: response.statusCode)
    }

    /// The request for the target of a redirect.
    ///
    /// - Throws: ``TransferError/redirectRefused(target:url:)``.
    func redirected(
        _ request: URLRequest,
        to target: URL,
        from base: URL,
        status: Int
    ) throws(TransferError) -> URLRequest {
        try check(target, from: base)
        var next = request
        next.url = target
        adaptMethod(of: &next, to: status)
        if !target.hasSameOrigin(as: base) { dropBoundHeaders(from: &next) }
        return next
    }

    /// Checks the target of a redirect, also after a handler has changed it.
    func check(_ target: URL, from base: URL) throws(TransferError) {
        let scheme = target.scheme?.lowercased() ?? ""
        guard settings.redirectSchemes.contains(scheme), scheme == "http" || scheme == "https"
        else { throw .redirectRefused(target: target.absoluteString, url: base) }
    }

    private func adaptMethod(of request: inout URLRequest, to status: Int) {
        let method = request.httpMethod ?? "GET"
        let becomesGet =
            (status == 303 && method != "GET" && method != "HEAD")
            || ((status == 301 || status == 302) && method == "POST")
        guard becomesGet else { return }
        request.httpMethod = "GET"
        request.httpBody = nil
        for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language"] {
            request.setValue(nil, forHTTPHeaderField: name)
        }
    }

    /// Headers that may be sent to another origin because they reveal nothing about the caller.
    ///
    /// Conditions are excluded, because they refer to versions that the other origin does not have.
    /// `If-Range` is included, because without it the range could be of any version.
    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
        "content-encoding", "content-language", "content-type", "dnt", "if-range", "pragma",
        "range", "sec-gpc", "user-agent",
    ]

    /// Headers that are always bound to one origin.
    private static let bound: Set<String> = [
        "authorization", "cookie", "host", "proxy-authorization",
    ]

    private func dropBoundHeaders(from request: inout URLRequest) {
        let kept = Self.harmless.union(settings.headersKeptAcrossOrigins).subtracting(Self.bound)
        for name in (request.allHTTPHeaderFields ?? [:]).keys
        where !kept.contains(name.lowercased()) {
            request.setValue(nil, forHTTPHeaderField: name)
        }
    }
}

extension URL {
    /// Whether scheme, host and port are equal.
    func hasSameOrigin(as other: URL) -> Bool { origin == other.origin }

    /// `scheme://host:port` in lower case, with the port that the scheme implies.
    var origin: String { origin(scheme: scheme?.lowercased() ?? "", host: host ?? "") }

    /// The origin from parts that were already parsed; Foundation would parse the URL again for
    /// each.
    func origin(scheme: String, host: String) -> String {
        "\(scheme)://\(host.lowercased()):\(port ?? Self.port(of: scheme))"
    }

    /// The port, or the one that the scheme implies.
    var effectivePort: Int {
        port ?? Self.port(of: scheme?.lowercased() ?? "")
    }

    private static func port(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }
}
