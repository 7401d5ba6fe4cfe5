import Dispatch
import Foundation
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport that answers each request by a function, so that a test can act as a server that
/// checks what it is sent.
final class AnsweringTransport: HTTPTransport {
    struct Answer: Sendable {
        var status = 200
        var fields: [String: String] = [:]
        var body = Data()
        /// The error in place of a response.
        var failure: TransferError?

        static func image() -> Answer {
            Answer(fields: ["Content-Type": "image/png"], body: ImageServiceTests.png)
        }

        static func text(_ text: String, _ fields: [String: String] = [:]) -> Answer {
            Answer(fields: fields, body: Data(text.utf8))
        }

        static func status(_ status: Int) -> Answer { Answer(status: status) }

        static func failure(_ error: TransferError) -> Answer { Answer(failure: error) }
    }

    private final class Transfer: HTTPTransfer {
        func cancel() {}
        func pause() {}
        func resume() {}
        func setPriority(_ priority: Float) {}
    }

    private let answer: @Sendable (URLRequest) -> Answer
    private let received = Mutex<[URLRequest]>([])
    // Like the single thread of a real transport, which no caller waits for.
    private let queue = DispatchQueue(label: "AnsweringTransport")

    init(_ answer: @escaping @Sendable (URLRequest) -> Answer) { self.answer = answer }

    /// The requests so far, in order.
    var requests: [URLRequest] { received.withLock { $0 } }
    /// Their addresses.
    var addresses: [String] { requests.compactMap { $0.url?.absoluteString } }

    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        let transfer = Transfer()
        received.withLock { $0.append(request) }
        queue.async { [self] in play(request, on: transfer, handler) }
        return transfer
    }

    private func play(
        _ request: URLRequest,
        on transfer: any HTTPTransfer,
        _ handler: any HTTPTransferHandler
    ) {
        let answer = answer(request)
        if let failure = answer.failure {
            handler.transfer(transfer, didFinish: failure, metrics: TransferMetrics())
            return
        }
        let fields = answer.fields.map { (name: $0.key, value: $0.value) }
        guard let url = request.url else { preconditionFailure("a request has no URL") }
        let head = TransferResponse(url: url, statusCode: answer.status, fields: fields)
        handler.transfer(transfer, didReceive: head) { disposition in
            guard case .allow = disposition else {
                var error = TransferError.cancelled
                if case .reject(let reason) = disposition {
                    error = .rejected(reason: reason, url: url)
                }
                handler.transfer(transfer, didFinish: error, metrics: TransferMetrics())
                return
            }
            if !answer.body.isEmpty { handler.transfer(transfer, didReceive: answer.body.bytes) }
            handler.transfer(transfer, didFinish: nil, metrics: TransferMetrics())
        }
    }
}
