import Foundation

/// What an answer to `Range` with `If-Range` means.
enum ResumedAnswer {
    /// The rest follows; the head stands for the whole, as if it had come in one piece.
    case rest(TransferResponse)
    /// Nothing can be joined: ask again, for the whole.
    case useless
    /// Anything else, a new whole body for one: the answer counts as it is.
    case independent

    /// Reads the answer to a request for what follows `head.received` bytes.
    init(_ response: TransferResponse, after head: PartialHead) {
        switch response.statusCode {
        case 206:
            self = Self.joined(response, head).map { .rest($0) } ?? .useless
        case 416:
            self = .useless
        default:
            self = .independent
        }
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
            // Validators name a version of one resource: a redirect may have led to another.
            response.url == head.url,
            response.value(for: "Content-Encoding") ?? "identity" == "identity",
            isSameVersion(response, head)
        else { return nil }
        return whole(response, head, total: range.total)
    }

    /// Whether both parts carry the same strong validator (RFC 9110, 15.3.7.3).
    private static func isSameVersion(_ response: TransferResponse, _ head: PartialHead) -> Bool {
        guard let tag = PartialHead.validator(of: response), tag == head.validator else {
            return false
        }
        guard let date = response.value(for: "Last-Modified") else { return true }
        return date == head.lastModified
    }

    /// Joins the fields (RFC 9110, 15.3.7.3): the newer ones win.
    private static func whole(
        _ response: TransferResponse,
        _ head: PartialHead,
        total: Int
    ) -> TransferResponse {
        let ofPart: Set = ["content-range", "content-length"]
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
/// The complete length is required: without it the rest cannot be known to be complete.
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

    /// The number of bytes.
    var count: Int { last - first + 1 }

    /// Whether nothing follows; a part of the rest would leave a hole.
    var reachesEnd: Bool { last == total - 1 }

    /// Whether it is all of the body.
    var isWhole: Bool { first == 0 && reachesEnd }
}
