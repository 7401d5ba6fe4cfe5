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
        guard let range = response.values(for: "Content-Range").first.flatMap(ContentRange.init),
            range.first == head.received, range.isOpenEnded,
            head.total == nil || range.total == nil || range.total == head.total,
            // Validators name a version of one resource: a redirect may have led to another.
            response.url == head.url,
            response.value(for: "Content-Encoding") ?? "identity" == "identity"
        else { return nil }
        if let tag = response.values(for: "ETag").first, head.validator.hasPrefix("\""),
            tag != head.validator
        {
            return nil
        }
        return whole(response, head, total: range.total ?? head.total)
    }

    /// Joins the fields (RFC 9110, 15.3.7.3): the newer ones win.
    private static func whole(
        _ response: TransferResponse,
        _ head: PartialHead,
        total: Int?
    ) -> TransferResponse {
        let ofPart: Set = ["content-range", "content-length"]
        var fields = response.fields.filter { !ofPart.contains($0.name.lowercased()) }
        let known = Set(fields.map { $0.name.lowercased() }).union(ofPart)
        fields += head.fields.filter { !known.contains($0.name.lowercased()) }
            .map { ($0.name, $0.value) }
        if let total { fields.append(("Content-Length", "\(total)")) }
        return TransferResponse(
            url: response.url,
            statusCode: 200,
            httpVersion: response.httpVersion,
            fields: fields
        )
    }
}

/// `Content-Range: bytes 100-199/200` (RFC 9110, 14.4).
struct ContentRange: Equatable {
    let first: Int
    let last: Int
    /// `nil` for `*`.
    let total: Int?

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Self.number(ends[0]),
            let last = Self.number(ends[1]), first <= last
        else { return nil }
        let total = Self.number(parts[1])
        guard parts[1] == "*" || (total.map { $0 > last } ?? false) else { return nil }
        self.first = first
        self.last = last
        self.total = total
    }

    /// Whether it reaches to the end; a part of the rest would leave a hole.
    var isOpenEnded: Bool { total == nil || total == last + 1 }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
