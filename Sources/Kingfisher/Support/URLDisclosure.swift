/// The part of the URLs in a text that readers of the text may see.
///
/// User names and passwords are never part of it.
@_spi(Programs) @_spi(Server) public enum URLDisclosure: Sendable {
    /// Scheme and host, for readers who may not know which image was asked for.
    case host
    /// Everything before the query, which often has keys and signatures; for messages and logs.
    case path
    /// The whole URL, for keys of caches and sources that the reader has named.
    case query
}

extension String {
    /// The text with no more of its URLs than `part`; an ellipsis replaces the rest.
    ///
    /// Every message, line of a log, report and trace goes through it. A URL is recognised by `://`,
    /// also if that is percent-encoded, and ends at white space or a quotation mark.
    @_spi(Programs) @_spi(Server) public func disclosing(_ part: URLDisclosure) -> String {
        // By bytes, because a combining character after the slashes would hide them.
        guard utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }) else {
            return self
        }
        var (result, isInURL) = ([UInt8](), false)
        var rest = Array(utf8)[...]
        result.reserveCapacity(rest.count)
        while let byte = rest.first {
            if let length = rest.lengthOfSlashes {
                result += rest.prefix(length)
                rest = rest.dropFirst(length)
                let authority = rest.beginning { $0.beginsAfterAuthority }
                result += authority.withoutUser
                rest = rest[authority.endIndex...]
                isInURL = true
                if part == .host { result += rest.removePath() }
            } else if isInURL, part == .path, rest.beginsQuery {
                result.append(byte)
                result += rest.removeQuery()
            } else {
                isInURL = isInURL && !rest.endsURL
                result.append(byte)
                rest.removeFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text without the user names and passwords of the URLs in it.
    ///
    /// Cache keys are usually URLs, so texts with keys need this too.
    var withoutUsers: String { disclosing(.query) }
}

extension ArraySlice<UInt8> {
    /// The beginning up to the first rest that satisfies a condition.
    fileprivate func beginning(until isEnd: (ArraySlice) -> Bool) -> ArraySlice {
        self[..<(indices.first { isEnd(self[$0...]) } ?? endIndex)]
    }

    /// An authority without the part before its last `@`.
    fileprivate var withoutUser: ArraySlice {
        let user = indices.last { self[$0...].length(of: "@", "%40") != nil }
        return user.map { self[$0...].dropFirst(self[$0...].length(of: "@", "%40") ?? 0) } ?? self
    }

    /// Removes the rest of a URL after its host, and returns the text in its place.
    fileprivate mutating func removePath() -> [UInt8] {
        let tail = beginning { $0.endsURL }
        self = self[tail.endIndex...]
        let marks = tail.trailingMarks
        // A lone slash discloses nothing.
        return tail.count - marks.count < 2 ? [UInt8](tail) : "/…".utf8 + marks
    }

    /// Removes the rest of a URL from its query on, and returns the text in its place.
    fileprivate mutating func removeQuery() -> [UInt8] {
        let tail = beginning { $0.endsURL }
        self = self[tail.endIndex...]
        return "…".utf8 + tail.trailingMarks
    }

    /// The punctuation of the sentence, which follows the URL at its end.
    private var trailingMarks: [UInt8] {
        reversed().prefix { ".,:;)'".utf8.contains($0) }.reversed()
    }

    /// The length of `://`, also percent-encoded, at the beginning; nil for other texts.
    fileprivate var lengthOfSlashes: Int? { length(of: "://", "%3a%2f%2f") }

    /// Whether the text begins with a query or a fragment.
    fileprivate var beginsQuery: Bool {
        length(of: "?", "%3f") != nil || length(of: "#", "%23") != nil
    }

    /// Whether the text begins with a character that ends the authority of a URL.
    fileprivate var beginsAfterAuthority: Bool {
        endsURL || beginsQuery || length(of: "/", "%2f") != nil
    }

    /// Whether the text begins with a character that is not part of a URL in a message.
    fileprivate var endsURL: Bool {
        let byte = self[startIndex]
        return byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<")
            || byte == UInt8(ascii: ">") || starts(with: "”".utf8) || starts(with: "“".utf8)
    }

    /// The length of a text at the beginning, or of its encoded form, which is in lower case and is
    /// compared without case; nil for other texts.
    private func length(of plain: StaticString, _ encoded: StaticString) -> Int? {
        let text = self[startIndex] == UInt8(ascii: "%") ? encoded : plain
        let isPrefix = text.withUTF8Buffer { text in
            count >= text.count
                && zip(self, text).allSatisfy { own, other in
                    own == other || (0x41...0x5A).contains(own) && own | 0x20 == other
                }
        }
        return isPrefix ? text.utf8CodeUnitCount : nil
    }
}
