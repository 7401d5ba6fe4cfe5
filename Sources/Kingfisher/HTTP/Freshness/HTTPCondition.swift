import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The header fields of a conditional request for one URL.
///
/// A validator identifies versions of one resource (RFC 9110, 8.8). Sent to another URL, it could
/// confirm a different image.
package struct HTTPCondition: Sendable, Hashable {
    let url: URL
    let fields: [String: String]

    /// Whether the response of the URL is fresh, so that a redirect to the URL suffices.
    var endsAtRedirect = false

    /// The request with the condition if it is for the URL, otherwise without it.
    func applied(to request: URLRequest) -> URLRequest {
        var request = request
        let isMeant = isMeant(request)
        for (name, value) in fields {
            request.setValue(isMeant ? value : nil, forHTTPHeaderField: name)
        }
        return request
    }

    private func isMeant(_ request: URLRequest) -> Bool {
        request.url.map { $0.isSameResource(as: url) } ?? false
    }

    /// Whether the request that follows a redirect need not be sent.
    func isEnd(_ request: URLRequest) -> Bool { endsAtRedirect && isMeant(request) }

    /// Whether a response confirms the image: “not modified”, or a redirect to it.
    func isConfirmed(by response: TransferResponse) -> Bool {
        if response.statusCode == 304 {
            return !fields.isEmpty && response.url.isSameResource(as: url)
        }
        guard endsAtRedirect, RedirectRules.statuses.contains(response.statusCode),
            let location = response.values(for: "Location").first,
            let target = URL(string: location, relativeTo: response.url)?.absoluteURL
        else { return false }
        return target.isSameResource(as: url)
    }
}

/// The request and condition with which a load asks, and the responses it received.
struct HTTPQuestion: Sendable {
    /// The request for the first URL that must be asked, as made by the load's request modifier.
    var request: URLRequest?
    var condition: HTTPCondition?
    /// The URL of the modifier's request, before the fresh redirects.
    var asked: URL?
    /// The fresh redirects that lead to the URL of the request.
    var known: [HTTPAnswer] = []
    let trail = HTTPTrail()

    /// A question for the image without a condition; responses are recorded in the same trail.
    func unconditional(_ request: URLRequest?) -> HTTPQuestion {
        var question = self
        (question.request, question.condition, question.known) = (request, nil, [])
        return question
    }
}
