public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The head of a response.
///
/// Foundation's `HTTPURLResponse` is made only on demand: on Linux it costs as much as the rest of
/// a small transfer.
///
/// ```swift
/// func transfer(_ transfer: any HTTPTransfer, didReceive response: TransferResponse) {
///     print(response.statusCode)
/// }
/// ```
public final class TransferResponse: Sendable {
    /// The URL of the response, after redirects.
    public let url: URL
    /// The status, 200…999.
    public let statusCode: Int
    /// The protocol from the status line: `HTTP/1.1`, `HTTP/2`.
    public let httpVersion: String
    /// The fields in order of arrival, with original names and trimmed values.
    public let fields: [(name: String, value: String)]
    private let foundation: Mutex<HTTPURLResponse?>

    /// Creates a response head.
    ///
    /// - Parameters:
    ///   - url: The URL of the response, after redirects.
    ///   - statusCode: The status.
    ///   - httpVersion: The protocol as in the status line.
    ///   - fields: The fields in order of arrival.
    public init(
        url: URL,
        statusCode: Int,
        httpVersion: String = "HTTP/1.1",
        fields: [(name: String, value: String)]
    ) {
        self.url = url
        self.statusCode = statusCode
        self.httpVersion = httpVersion
        self.fields = fields
        foundation = Mutex(nil)
    }

    /// Creates a response head from Foundation's.
    ///
    /// - Parameters:
    ///   - response: The response; its protocol version is unknown and set to HTTP/1.1.
    ///   - fallback: The URL if the response has none.
    public init(_ response: HTTPURLResponse, fallback: URL) {
        url = response.url ?? fallback
        statusCode = response.statusCode
        httpVersion = "HTTP/1.1"
        fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { (name: $0, value: "\(value)") }
        }
        foundation = Mutex(response)
    }

    /// The head as Foundation's type; made on first use.
    public var httpURLResponse: HTTPURLResponse {
        foundation.withLock { made in
            if let made { return made }
            let joined = Dictionary(fields) { "\($0), \($1)" }
            let response = HTTPURLResponse(
                url: url,
                statusCode: statusCode,
                httpVersion: httpVersion,
                headerFields: joined
            )
            guard let response else {
                preconditionFailure("HTTPURLResponse did not accept the URL, status or fields")
            }
            made = response
            return response
        }
    }

    /// The value of a field, or several joined by commas; names are compared without case.
    public func value(for name: String) -> String? {
        // Usually there is one value or none.
        guard let first = fields.firstIndex(where: { Self.isSameName($0.name, name) }) else {
            return nil
        }
        var value = fields[first].value
        for field in fields[(first + 1)...] where Self.isSameName(field.name, name) {
            value += ", \(field.value)"
        }
        return value
    }

    /// The first value of a field.
    func firstValue(for name: String) -> String? {
        fields.first { Self.isSameName($0.name, name) }?.value
    }

    /// All values of a field, in order.
    public func values(for name: String) -> [String] {
        fields.filter { Self.isSameName($0.name, name) }.map(\.value)
    }

    // Field names are ASCII. Foundation's comparison takes a microsecond, and each transfer looks
    // up several names in about ten fields.
    private static func isSameName(_ a: String, _ b: String) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        let first = a.utf8.span
        let second = b.utf8.span
        for index in first.indices where lowered(first[index]) != lowered(second[index]) {
            return false
        }
        return true
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// The size of the decoded body in bytes, if stated and not compressed.
    public var expectedLength: Int? {
        guard value(for: "Content-Encoding").map({ $0.lowercased() == "identity" }) ?? true,
            firstValue(for: "Transfer-Encoding") == nil,
            let text = firstValue(for: "Content-Length")
        else { return nil }
        return HTTPSyntax.number(text)
    }
}

/// The progress of a body.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the body received so far, after decoding.
    public let received: Int
    /// Bytes stated by the server; `nil` if unknown, or if the body is compressed.
    public let expected: Int?

    /// Creates a progress value.
    ///
    /// - Parameters:
    ///   - received: Bytes of the body received so far, after decoding.
    ///   - expected: Bytes stated by the server, if known.
    public init(received: Int, expected: Int?) {
        self.received = received
        self.expected = expected
    }

    /// 0…1; `nil` if the total is unknown.
    public var fraction: Double? {
        guard let expected else { return nil }
        return expected > 0 ? min(1, Double(received) / Double(expected)) : 1
    }
}

/// The durations and byte counts of a transfer.
///
/// The phases are those of the last request of a redirect chain; `queue` and `total` cover all
/// requests.
public struct TransferMetrics: Sendable, Hashable {
    /// Time spent waiting for a free connection.
    public var queue: Duration = .zero
    /// Name resolution; `nil` on a reused connection.
    public var dns: Duration?
    /// TCP handshake; `nil` on a reused connection.
    public var connect: Duration?
    /// TLS handshake; `nil` without TLS and on a reused connection.
    public var tls: Duration?
    /// From the last byte of the request to the first byte of the response.
    public var firstByte: Duration?
    /// From the first byte of the response to its last.
    public var body: Duration?
    /// From `start` to the end, including redirects and waiting.
    public var total: Duration = .zero
    /// Bytes of the body delivered, after decoding.
    public var bytes = 0
    /// Bytes of the body received by an earlier, interrupted transfer; not included in ``bytes``.
    public var resumedBytes = 0
    /// Bytes of the body on the wire, before decoding.
    public var wireBytes = 0
    /// Bytes of the request's body.
    public var bytesSent = 0
    /// Whether an existing connection was used.
    public var connectionReused = false
    /// ALPN name of the protocol: `http/1.1`, `h2`, `h3`.
    public var protocolName: String?
    /// Redirects followed.
    public var redirectCount = 0
    /// The status of the last response.
    public var statusCode: Int?
    /// The numeric address of the peer.
    public var remoteAddress: String?

    /// Creates empty metrics.
    public init() {}
}

/// The decision about a response whose head was received.
public enum TransferDisposition: Sendable {
    /// Deliver the body.
    case allow
    /// Stop; the transfer ends with ``TransferError/cancelled``.
    case cancel
    /// Stop; the transfer ends with ``TransferError/rejected(reason:url:)`` that carries the error.
    case reject(any Error)
}
