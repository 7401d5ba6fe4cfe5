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

    /// The request with the condition if it is for the URL, and without it otherwise.
    func applied(to request: URLRequest) -> URLRequest {
        var request = request
        let isMeant = request.url.map { $0.isSameResource(as: url) } ?? false
        for (name, value) in fields {
            request.setValue(isMeant ? value : nil, forHTTPHeaderField: name)
        }
        return request
    }

    /// Whether a response answers the condition with “not modified”.
    func isConfirmed(by response: TransferResponse) -> Bool {
        response.statusCode == 304 && response.url.isSameResource(as: url)
    }
}

/// How a load asks: by which request, under which condition; and what it was answered.
struct HTTPQuestion: Sendable {
    /// The request, as the load's modifier made it, to the first URL that has to be asked.
    var request: URLRequest?
    var condition: HTTPCondition?
    /// The redirects to that URL, which are fresh.
    var known: [HTTPAnswer] = []
    let trail = HTTPTrail()
}
