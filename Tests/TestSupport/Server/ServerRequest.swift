package import Foundation

/// A received request.
package struct ServerRequest: Sendable {
    /// The method in upper case.
    package let method: String
    /// The target as sent, including the query.
    package let target: String
    /// The header fields in order.
    package let fields: [(name: String, value: String)]
    /// The request headers as received, without the empty line.
    package internal(set) var head = Data()
    /// The body; empty if there was none.
    package internal(set) var body = Data()

    /// The target without the query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The first value of a header field; names are compared without case.
    package func value(for name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Parses request headers; nil if they are invalid.
    init?(head: String) {
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
        guard !lines.isEmpty else { return nil }
        let parts = lines.removeFirst().split(separator: " ")
        guard parts.count == 3 else { return nil }
        method = String(parts[0])
        target = String(parts[1])
        fields = lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (String(line[..<colon]), String(value))
        }
    }
}
