import Foundation

/// The meaning of a response to `Range` with `If-Range`.
enum ResumedAnswer {
    /// The rest follows; the head is that of the complete body.
    case rest(TransferResponse)
    /// The rest cannot be appended; the complete body must be requested.
    case useless
    /// A new complete body.
    case independent

    /// Classifies the response to a request for the bytes after `head.received`.
    init(_ response: TransferResponse, after head: PartialHead) {
        switch response.statusCode {
        case 206:
            self = Self.joined(response, head).map { .rest($0) } ?? .useless
        case 200..<300:
            self = .independent
        default:
            // The server may refuse only the range.
            self = .useless
        }
    }

    /// The head of a complete body that a server sent as a part of all bytes, with status 206; nil for
    /// other responses.
    static func whole(_ response: TransferResponse) -> TransferResponse? {
        guard response.statusCode == 206,
            let range = response.value(for: "Content-Range").flatMap(ContentRange.init),
            range.isWhole,
            response.value(for: "Content-Length").map({ HTTPSyntax.number($0) == range.count })
                ?? true
        else { return nil }
        let ofPart: Set = ["content-range", "content-length", "transfer-encoding"]
        let fields = response.fields.filter { !ofPart.contains($0.name.lowercased()) }
        return TransferResponse(
            url: response.url,
            statusCode: 200,
            httpVersion: response.httpVersion,
            fields: fields + [("Content-Length", "\(range.total)")]
        )
    }

    private static func joined(
        _ response: TransferResponse,
        _ head: PartialHead
    ) -> TransferResponse? {
        guard let range = response.value(for: "Content-Range").flatMap(ContentRange.init),
            range.first == head.received, range.reachesEnd,
            head.total == nil || range.total == head.total,
            response.value(for: "Content-Length").map({ HTTPSyntax.number($0) == range.count })
                ?? true,
            // A validator identifies a version of one resource; a redirect may have led to another
            // one.
            response.url == head.url,
            response.value(for: "Content-Encoding") ?? "identity" == "identity",
            isSameVersion(response, head)
        else { return nil }
        return whole(response, head, total: range.total)
    }

    /// Whether both parts have the same strong validator (RFC 9110, 15.3.7.3).
    private static func isSameVersion(_ response: TransferResponse, _ head: PartialHead) -> Bool {
        guard let tag = PartialHead.validator(of: response), tag == head.validator else {
            return false
        }
        guard let date = response.value(for: "Last-Modified") else { return true }
        return date == head.lastModified
    }

    /// Combines the fields (RFC 9110, 15.3.7.3); the newer ones override.
    private static func whole(
        _ response: TransferResponse,
        _ head: PartialHead,
        total: Int
    ) -> TransferResponse {
        // With chunks, the length of the whole is known from the range.
        let ofPart: Set = ["content-range", "content-length", "transfer-encoding"]
        var fields = response.fields.filter { !ofPart.contains($0.name.lowercased()) }
        let known = Set(fields.map { $0.name.lowercased() }).union(ofPart)
        fields += head.fields.filter { !known.contains($0.name.lowercased()) }
            .map { ($0.name, $0.value) }
        fields.append(("Content-Length", "\(total)"))
        return TransferResponse(
            url: response.url,
            statusCode: 200,
            httpVersion: response.httpVersion,
            fields: fields
        )
    }
}

/// `Content-Range: bytes 100-199/200` (RFC 9110, 14.4).
///
/// The complete length is required to detect that the rest is complete.
struct ContentRange: Equatable {
    let first: Int
    let last: Int
    let total: Int

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = HTTPSyntax.number(ends[0]),
            let last = HTTPSyntax.number(ends[1]), let total = HTTPSyntax.number(parts[1]),
            first <= last, last < total
        else { return nil }
        self.first = first
        self.last = last
        self.total = total
    }

    /// The number of bytes in the range.
    var count: Int { last - first + 1 }

    /// Whether the range extends to the end; otherwise a gap would remain.
    var reachesEnd: Bool { last == total - 1 }

    /// Whether the range is the complete body.
    var isWhole: Bool { first == 0 && reachesEnd }
}
