import Foundation
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests to servers of the configuration, not of URLs: those that give keys and tokens, the
/// collector of telemetry, and the store of results.
struct TrustedClient: Sendable {
    /// The fields and the body of an answer.
    struct Answer: Sendable {
        let fields: [(name: String, value: String)]
        let body: Data

        /// The value of a field.
        func value(_ name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The body as a JSON object; empty if it is none.
        var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:]
        }
    }

    let transport: any HTTPTransport
    /// The limit for an answer.
    let timeout: Duration
    /// The largest body of an answer, in bytes.
    var largestAnswer = 1 << 20
    /// The most requests to one server at the same time.
    var connections = TransferSettings().maxConnectionsPerHost

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - method: The method.
    ///   - fields: Header fields.
    ///   - body: The body; nil for none.
    /// - Returns: The answer.
    /// - Throws: ``ServiceError`` 502 for other statuses and failed transfers, without the body,
    ///   which may contain secrets.
    func send(
        _ address: String,
        method: String = "GET",
        _ fields: [HeaderField] = [],
        body: Data? = nil
    ) async throws -> Answer {
        guard let url = URL(string: address) else { throw Self.error("an address is not valid") }
        // Some services give keys by a path that is a secret itself.
        let place = url.host ?? "the server"
        do {
            let (status, answer) = try await exchange(url, method: method, fields, body: body)
            guard (200..<300).contains(status) else {
                throw Self.error("\(place): status \(status)")
            }
            return answer
        } catch let error as TransferError {
            throw Self.error("\(place): \(error.description)")
        }
    }

    /// Sends a request whose answer may have any status.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - method: The method.
    ///   - fields: Header fields.
    ///   - body: The body; nil for none.
    /// - Returns: The status and the answer.
    /// - Throws: `TransferError`.
    func exchange(
        _ url: URL,
        method: String,
        _ fields: [HeaderField],
        body: Data?
    ) async throws -> (status: Int, answer: Answer) {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        var settings = TransferSettings()
        settings.totalTimeout = timeout
        settings.maxBodyBytes = largestAnswer
        settings.maxConnectionsPerHost = connections
        settings.maxRedirects = 0
        return try await withCheckedThrowingContinuation { continuation in
            let collector = AnswerCollector { continuation.resume(with: $0) }
            _ = transport.start(request, settings: settings, handler: collector)
        }
    }

    /// Sends a form.
    ///
    /// - Throws: See ``send(_:method:_:body:)``.
    func post(
        _ address: String,
        form: [(String, String)],
        _ fields: [HeaderField] = []
    ) async throws -> Answer {
        let type = HeaderField(name: "Content-Type", value: Self.formType)
        return try await send(
            address,
            method: "POST",
            fields + [type],
            body: Data(Self.text(of: form).utf8)
        )
    }

    static let formType = "application/x-www-form-urlencoded; charset=utf-8"

    /// A form as text.
    static func text(of form: [(String, String)]) -> String {
        form.map { "\($0)=\(PercentEncoding.encoded($1, keeping: ""))" }.joined(separator: "&")
    }

    /// The error of keys that cannot be had.
    static func error(_ detail: String) -> ServiceError {
        ServiceError(
            502,
            "The keys for the store of the source cannot be had",
            "Look into the service's log",
            detail: detail
        )
    }

    /// A token of OAuth: `access_token` and `expires_in`.
    ///
    /// - Throws: ``ServiceError`` 502 if the answer has none.
    static func token(
        _ answer: Answer
    ) throws(ServiceError) -> KeptCredential<String>.Dated {
        let object = answer.object
        // Azure's virtual machines write the number as text.
        let seconds =
            object["expires_in"] as? Double
            ?? (object["expires_in"] as? String).flatMap { Double($0) }
        guard let token = object["access_token"] as? String, token.isHeaderValue else {
            throw error("the answer has no access_token")
        }
        let life = min(86_400, max(0, seconds ?? 600))
        return .init(value: token, expires: Date(timeIntervalSinceNow: life))
    }
}

/// Collects the answer of a transfer.
private final class AnswerCollector: HTTPTransferHandler {
    typealias Answer = TrustedClient.Answer

    private let state = Mutex<(head: TransferResponse?, body: Data)>((nil, Data()))
    private let completion: @Sendable (Result<(status: Int, answer: Answer), TransferError>) -> Void

    init(
        _ completion:
            @escaping @Sendable (Result<(status: Int, answer: Answer), TransferError>) -> Void
    ) {
        self.completion = completion
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    ) {
        state.withLock { $0.head = response }
        reply(.allow)
    }

    func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan) {
        state.withLock { state in
            chunk.withUnsafeBytes { state.body.append(contentsOf: $0) }
        }
    }

    func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    ) {
        let (head, body) = state.withLock { $0 }
        if let head, error == nil {
            let answer = Answer(fields: head.fields, body: body)
            completion(.success((head.statusCode, answer)))
        } else {
            completion(.failure(error ?? .cancelled))
        }
    }
}
