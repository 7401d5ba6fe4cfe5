/// A simple lexer that finds the words of Swift code.
///
/// It skips comments (nested ones too) and string literals (raw and multi-line ones too) together
/// with their interpolations. It works on bytes, since identifiers here are ASCII, which the format
/// check enforces.
struct SwiftLexer {
    private let source: [UInt8]
    private var index = 0
    private var line = 1
    private var depth = 0

    init(_ text: String) {
        source = Array(text.utf8)
    }

    /// All words in order.
    mutating func words() -> [SwiftText.Word] {
        var words: [SwiftText.Word] = []
        while index < source.count {
            if let end = endOfComment(from: index) ?? endOfLiteral(from: index) {
                skip(to: end)
            } else if Self.isWord(source[index]) {
                words.append(word())
            } else {
                let byte = source[index]
                if byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "}") { depth -= 1 }
                skip(to: index + 1)
            }
        }
        return words
    }

    private mutating func word() -> SwiftText.Word {
        let start = index
        while index < source.count, Self.isWord(source[index]) { index += 1 }
        return SwiftText.Word(
            text: String(decoding: source[start..<index], as: UTF8.self),
            line: line,
            depth: depth,
            isMember: start > 0 && source[start - 1] == UInt8(ascii: ".")
        )
    }

    private mutating func skip(to end: Int) {
        while index < end {
            if source[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }

    private func has(_ text: StaticString, at start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= source.count else { return false }
        for offset in 0..<text.utf8CodeUnitCount
        where source[start + offset] != text.utf8Start[offset] {
            return false
        }
        return true
    }

    // MARK: Skipped text

    private func endOfComment(from start: Int) -> Int? {
        guard source[start] == UInt8(ascii: "/") else { return nil }
        if has("//", at: start) {
            return source[start...].firstIndex(of: UInt8(ascii: "\n")) ?? source.count
        }
        guard has("/*", at: start) else { return nil }
        var depth = 1
        var index = start + 2
        while index < source.count, depth > 0 {
            let opens = has("/*", at: index)
            let closes = !opens && has("*/", at: index)
            depth += opens ? 1 : closes ? -1 : 0
            index += opens || closes ? 2 : 1
        }
        return index
    }

    private func endOfLiteral(from start: Int) -> Int? {
        var index = start
        while index < source.count, source[index] == UInt8(ascii: "#") { index += 1 }
        let hashes = index - start
        guard index < source.count, source[index] == UInt8(ascii: "\"") else { return nil }
        let isMultiline = has("\"\"\"", at: index)
        let quotes = isMultiline ? 3 : 1
        index += quotes
        while index < source.count {
            if source[index] == UInt8(ascii: "\\"), hashes == 0 {
                // An interpolation may contain quotes.
                index = has("\\(", at: index) ? endOfParentheses(from: index + 1) : index + 2
                continue
            }
            if closes(at: index, quotes: quotes, hashes: hashes) { return index + quotes + hashes }
            // A string that is not closed on its line is not a literal.
            if !isMultiline, source[index] == UInt8(ascii: "\n") { return index }
            index += 1
        }
        return source.count
    }

    private func closes(at start: Int, quotes: Int, hashes: Int) -> Bool {
        guard source[start] == UInt8(ascii: "\""), start + quotes + hashes <= source.count else {
            return false
        }
        return source[start..<start + quotes].allSatisfy { $0 == UInt8(ascii: "\"") }
            && source[(start + quotes)...].prefix(hashes).allSatisfy { $0 == UInt8(ascii: "#") }
    }

    private func endOfParentheses(from start: Int) -> Int {
        var depth = 0
        var index = start
        while index < source.count {
            if let end = endOfLiteral(from: index), end > index {
                index = end
                continue
            }
            if source[index] == UInt8(ascii: "(") { depth += 1 }
            if source[index] == UInt8(ascii: ")") { depth -= 1 }
            index += 1
            if depth == 0 { return index }
        }
        return index
    }
}
