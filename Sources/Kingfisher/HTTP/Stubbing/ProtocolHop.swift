import Dispatch
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request handled by a `URLProtocol` object; also the client of that object.
///
/// `@unchecked`: `URLProtocol` is not `Sendable`. The object is made, started and stopped only on
/// `queue`; all other state is constant.
final class ProtocolHop: NSObject, URLProtocolClient, @unchecked Sendable {
    let request: URLRequest
    private let type: URLProtocol.Type
    private let report: @Sendable (ProtocolHop, ProtocolExchange.Event) -> Void
    /// Separate from the queue of the events, because a class may block in `startLoading`.
    private let queue = DispatchQueue(label: "com.onevcat.Kingfisher.URLProtocol.loading")
    private var loader: URLProtocol?

    init(
        _ request: URLRequest,
        by type: URLProtocol.Type,
        report: @escaping @Sendable (ProtocolHop, ProtocolExchange.Event) -> Void
    ) {
        self.request = type.canonicalRequest(for: request)
        self.type = type
        self.report = report
    }

    func start() {
        queue.async { [self] in
            let loader = type.init(request: request, cachedResponse: nil, client: self)
            self.loader = loader
            loader.startLoading()
        }
    }

    func stop() {
        queue.async { [self] in
            loader?.stopLoading()
            loader = nil
        }
    }

    // MARK: URLProtocolClient

    func urlProtocol(
        _ protocol: URLProtocol,
        wasRedirectedTo request: URLRequest,
        redirectResponse: URLResponse
    ) {
        guard let response = head(of: redirectResponse) else { return }
        report(self, .redirect(request, response))
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        cachedResponseIsValid cachedResponse: CachedURLResponse
    ) {
        guard let response = head(of: cachedResponse.response) else { return }
        report(self, .response(response))
        report(self, .data(cachedResponse.data))
    }

    func urlProtocol(
        _ protocol: URLProtocol,
        didReceive response: URLResponse,
        cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
        guard let response = head(of: response) else { return }
        report(self, .response(response))
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) { report(self, .data(data)) }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { report(self, .end(nil)) }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
        let isCancelled = (error as? URLError)?.code == .cancelled
        report(self, .end(isCancelled ? .cancelled : .rejected(reason: error, url: url)))
    }

    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        challenge.sender?.continueWithoutCredential(for: challenge)
    }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}

    private var url: URL { request.url ?? URL(fileURLWithPath: "/") }

    /// The head of a response; a response that is not HTTP ends the transfer.
    private func head(of response: URLResponse) -> TransferResponse? {
        guard let response = response as? HTTPURLResponse else {
            report(self, .end(.badResponse(reason: "it is not HTTP", url: url)))
            return nil
        }
        return TransferResponse(response, fallback: url)
    }
}
