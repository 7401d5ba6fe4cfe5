import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Redirects every request to a host that no class accepts.
private final class RedirectingProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host == "redirecting.stub"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url, let target = URL(string: "http://target.example/b"),
            let response = HTTPURLResponse(
                url: url,
                statusCode: 302,
                httpVersion: "HTTP/1.1",
                headerFields: ["Location": target.absoluteString]
            )
        else { return }
        let next = URLRequest(url: target)
        client?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
    }

    override func stopLoading() {}
}

/// Records requests, and ends them.
private struct RecordingTransport: HTTPTransport {
    final class Transfer: HTTPTransfer {
        func cancel() {}
        func pause() {}
        func resume() {}
        func setPriority(_ priority: Float) {}
    }

    let requests = Locked<[String?]>([])

    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        requests.change { $0.append(request.url?.absoluteString) }
        let transfer = Transfer()
        handler.transfer(transfer, didFinish: nil, metrics: TransferMetrics())
        return transfer
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ProtocolExchangeTests {
    @Test(arguments: [false, true])
    func `a redirect is followed unless the transfer was cancelled before the answer`(
        isCancelled: Bool
    ) async throws {
        let network = RecordingTransport()
        let routes = RoutedTransport(network, yieldsToProcess: false)
        routes.protocolClasses = [RedirectingProtocol.self]
        let answer = Locked<(@Sendable () -> Void)?>(nil)
        let recorder = TransferRecorder(redirect: { _, next, reply in
            answer.change { $0 = { reply(next) } }
        })
        let url = try #require(URL(string: "http://redirecting.stub/a"))
        var transfer: (any HTTPTransfer)? =
            routes.start(URLRequest(url: url), settings: .patient, handler: recorder)
        weak let exchange = transfer
        await recorder.wait { $0.contains(.redirect("http://target.example/b")) }
        if isCancelled {
            transfer?.cancel()
            #expect(await recorder.outcome().error?.isCancellation == true)
        }
        transfer = nil
        try await eventually { answer.value != nil }
        answer.value?()
        answer.change { $0 = nil }
        // The exchange has done all that it will.
        try await eventually { exchange == nil }
        #expect(network.requests.value == (isCancelled ? [] : ["http://target.example/b"]))
        #expect(recorder.finishCount == 1)
    }
}
