public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The head of an answer.
///
/// Foundation's `HTTPURLResponse` is made only when asked for: on Linux that costs as much as the
/// rest of a small transfer.
public final class TransferResponse: Sendable {
    /// The URL that gave this answer, after redirects.
    public let url: URL
    /// The status, 200…999.
    public let statusCode: Int
    /// The protocol as in the status line: `HTTP/1.1`, `HTTP/2`.
    public let httpVersion: String
    /// The fields in the order of arrival; names as the server wrote them, values trimmed.
    public let fields: [(name: String, value: String)]
    private let foundation: Mutex<HTTPURLResponse?>

    /// Creates an answer's head.
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

    /// Takes over what another transport received; `fallback` is used if it carries no URL.
    public init(_ response: HTTPURLResponse, fallback: URL) {
        url = response.url ?? fallback
        statusCode = response.statusCode
        httpVersion = "HTTP/1.1"
        fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { (name: $0, value: "\(value)") }
        }
        foundation = Mutex(response)
    }

    /// The same head in Foundation's terms; made once, at the first call.
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
                preconditionFailure("HTTPURLResponse takes every URL, status and field")
            }
            made = response
            return response
        }
    }

    /// The value of a field, several joined by commas; names compare without case.
    public func value(for name: String) -> String? {
        // Nearly always there is one, or none.
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

    /// Every value of a field, in order.
    public func values(for name: String) -> [String] {
        fields.filter { Self.isSameName($0.name, name) }.map(\.value)
    }

    // Field names are ASCII. Foundation's comparison takes a microsecond, and each transfer asks for
    // several names in ten fields.
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

    /// Bytes of the decoded body, if the server said so and did not compress it.
    public var expectedLength: Int? {
        let encoding = value(for: "Content-Encoding") ?? "identity"
        guard encoding.lowercased() == "identity", value(for: "Transfer-Encoding") == nil,
            let text = firstValue(for: "Content-Length")
        else { return nil }
        return HTTPSyntax.number(text)
    }
}
