/// Phrases that were hard to read, found in comments and names of tests by their words.
///
/// The list is short on purpose: it has only what a search can tell from good English.
enum PlainEnglish {
    /// Phrases that are not used, and what to write in their place.
    static let phrases: [(variants: [String], instead: String)] = [
        (["for ever"], "forever, or the bound that is missing"),
        (["anew"], "again"),
        (["so many"], "the number"),
        (["picture", "pictures"], "image, bitmap or file"),
        (["flavour", "flavours", "flavor", "flavors"], "overload or variant"),
        (["let in", "lets in"], "admit"),
        (["go on with", "goes on with"], "continue"),
        (["has an end"], "finishes"),
        (["it is its turn"], "it is next"),
        (["prolong", "prolongs", "prolonged", "prolonging"], "extend"),
        (["heed", "heeds", "heeded", "heard"], "respect, log or report"),
        (["is told", "are told", "was told", "were told", "be told", "been told"], "is notified"),
        (["tell", "tells"], "report, notify or return"),
        (["behind the caller", "behind your back"], "in the background"),
        (["whoever", "who asks", "who waits"], "the caller, the waiters"),
        (["nobody", "somebody"], "no caller, another process"),
        (["country", "eat the memory"], "the term of the field"),
    ]

    /// The phrases by their first word.
    private static let byFirstWord: [String: [(words: [String], instead: String)]] = {
        var found: [String: [(words: [String], instead: String)]] = [:]
        for (variants, instead) in phrases {
            for variant in variants {
                let words = variant.split(separator: " ").map(String.init)
                found[words[0], default: []].append((words, instead))
            }
        }
        return found
    }()

    /// A phrase in a comment, or in the name of a test.
    struct Finding {
        /// The path and the line, counted from 1.
        let place: String
        let phrase: String
        let instead: String
    }

    /// The phrases in the comments of a tree and in its names of tests, in order.
    ///
    /// Code is left out, between backticks and in fences, as are names of parameters: names of the
    /// API may contain any word.
    static func findings(in tree: SourceTree, namesAlone: Bool = false) -> [Finding] {
        tree.paths.flatMap { path -> [Finding] in
            var isInFence = false
            var found: [Finding] = []
            let lines = Array((tree.files[path] ?? "").utf8)
                .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let comment = namesAlone ? nil : comment(of: line)
                guard let comment = comment ?? testName(of: line) else { continue }
                if text(of: comment).starts(with: "```".utf8) { isInFence.toggle() }
                if isInFence { continue }
                for (phrase, instead) in matches(words(of: comment)) {
                    let place = "\(path):\(index + 1)"
                    found.append(Finding(place: place, phrase: phrase, instead: instead))
                }
            }
            return found
        }
    }

    private static func matches(_ words: [String]) -> [(phrase: String, instead: String)] {
        words.indices.flatMap { start -> [(phrase: String, instead: String)] in
            (byFirstWord[words[start]] ?? []).compactMap { phrase, instead in
                words[start...].starts(with: phrase)
                    ? (phrase.joined(separator: " "), instead) : nil
            }
        }
    }

    /// The name of a test, which is a sentence between backticks; nil if the line has none.
    private static func testName(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let backtick = UInt8(ascii: "`")
        guard let start = line.firstIndex(of: backtick),
            line[..<start].reversed().starts(with: " cnuf".utf8)
        else { return nil }
        return line[(start + 1)...].prefix { $0 != backtick }
    }

    /// A line's comment, after `//` or in a block of C; nil if it has none.
    private static func comment(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let slash = UInt8(ascii: "/")
        let star = UInt8(ascii: "*")
        for index in line.indices.dropLast() where line[index] == slash {
            if line[index + 1] == slash || line[index + 1] == star { return line[(index + 2)...] }
        }
        let text = line.drop { $0 == UInt8(ascii: " ") }
        return text.starts(with: "* ".utf8) ? text : nil
    }

    /// The words of a comment in lower case, without code and the name of a parameter.
    private static func words(of comment: ArraySlice<UInt8>) -> [String] {
        let isListItem = text(of: comment).first == UInt8(ascii: "-")
        var words: [String] = []
        var word: [UInt8] = []
        var isCode = false
        var last: UInt8 = 0
        for byte in comment + [0] {
            if !isCode, isInWord(byte) {
                word.append(byte | 0x20)
            } else {
                // The name of a parameter stands before the colon of a list item.
                let isName = isListItem && words.count <= 1 && byte == UInt8(ascii: ":")
                if !word.isEmpty, !isName { words.append(String(decoding: word, as: UTF8.self)) }
                word = []
                // Several backticks in a row count as one.
                if byte == UInt8(ascii: "`"), last != byte { isCode.toggle() }
            }
            last = byte
        }
        return words
    }

    /// Whether a byte is a letter, or holds the parts of an identifier together.
    private static func isInWord(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "_")
    }

    /// A comment without the slashes and spaces at its beginning.
    private static func text(of comment: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        comment.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "/") }
    }
}
