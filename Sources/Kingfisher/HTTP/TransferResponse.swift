public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The head of a response.
///
/// Foundation's `HTTPURLResponse` is made only on demand: on Linux it costs as much as the rest of
/// a small transfer.
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
        let (a, b) = (a.utf8, b.utf8)
        guard a.count == b.count else { return false }
        var (i, j) = (a.startIndex, b.startIndex)
        while i < a.endIndex {
            guard lowered(a[i]) == lowered(b[j]) else { return false }
            i = a.index(after: i)
            j = b.index(after: j)
        }
        return true
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// The size of the decoded body in bytes, if announced and not compressed.
    public var expectedLength: Int? {
        let encoding = value(for: "Content-Encoding") ?? "identity"
        guard encoding.lowercased() == "identity", value(for: "Transfer-Encoding") == nil,
            let text = firstValue(for: "Content-Length")
        else { return nil }
        return HTTPSyntax.number(text)
    }
}
