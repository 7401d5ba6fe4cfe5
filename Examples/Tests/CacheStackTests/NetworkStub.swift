import Foundation
import Kingfisher

/// A network of canned responses, as stub libraries provide it.
final class NetworkStub: URLProtocol {
    struct Answer: Sendable {
        var status = 200
        var body = Data()
    }

    /// The responses by path, used one after the other; the last one is repeated.
    final class Book: @unchecked Sendable {
        private let lock = NSLock()
        private var answers: [String: [Answer]] = [:]
        private var requests: [URLRequest] = []

        func answer(_ path: String, with list: Answer...) {
            lock.withLock { answers[path] = list }
        }

        func requests(for path: String) -> [URLRequest] {
            lock.withLock { requests.filter { $0.url?.path == path } }
        }

        func take(_ request: URLRequest) -> Answer? {
            lock.withLock {
                requests.append(request)
                guard let path = request.url?.path, let list = answers[path] else { return nil }
                if list.count > 1 { answers[path]?.removeFirst() }
                return list.first
            }
        }
    }

    static let book = Book()

    static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [NetworkStub.self]
        return configuration
    }

    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let answer = Self.book.take(request) else {
            client?.urlProtocol(self, didFailWithError: URLError(.cannotFindHost))
            return
        }
        let response = HTTPURLResponse(
            url: url,
            statusCode: answer.status,
            httpVersion: "HTTP/1.1",
            headerFields: ["Content-Length": "\(answer.body.count)"]
        )
        if let response {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        client?.urlProtocol(self, didLoad: answer.body)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
