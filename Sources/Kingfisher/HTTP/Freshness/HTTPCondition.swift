import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Header fields that ask whether the response of one URL is still good.
///
/// A validator names versions of one resource (RFC 9110, 8.8): sent to another URL, it could
/// confirm an image that is not the one that is meant.
package struct HTTPCondition: Sendable, Hashable {
    let url: URL
    let fields: [String: String]

    /// Whether the response of the URL is fresh, so that a redirect to it is answer enough.
    var endsAtRedirect = false

    /// The request with the condition if it is for the URL, and without it otherwise.
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

    /// Whether the request of a redirect needs not be sent.
    func isEnd(_ request: URLRequest) -> Bool { endsAtRedirect && isMeant(request) }

    /// Whether a response says that the image is still good: “not modified”, or a redirect to it.
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

/// How a load asks: by which request, under which condition; and what it was answered.
struct HTTPQuestion: Sendable {
    /// The request, as the load's modifier made it, to the first URL that has to be asked.
    var request: URLRequest?
    var condition: HTTPCondition?
    /// The URL of the request that the modifier made, before the redirects that are fresh.
    var asked: URL?
    /// The redirects to the URL of the request, which are fresh.
    var known: [HTTPAnswer] = []
    let trail = HTTPTrail()

    /// The question for the image whatever the caches have; answers go to the same trail.
    func unconditional(_ request: URLRequest?) -> HTTPQuestion {
        var question = self
        (question.request, question.condition, question.known) = (request, nil, [])
        return question
    }
}
