/// The words of a Swift file's code, without comments and literals.
struct SwiftText {
    /// A word of code and its position.
    struct Word: Equatable {
        var text: String
        /// Counted from 1.
        var line: Int
        /// The number of braces open around it.
        var depth: Int
        /// Whether a dot precedes it, so that it names a member.
        var isMember: Bool
    }

    /// Identifiers and keywords in order.
    let words: [Word]

    private static let typeKeywords: Set<String> = [
        "class", "struct", "enum", "actor", "protocol", "typealias",
    ]

    init(_ text: String) {
        var lexer = SwiftLexer(text)
        words = lexer.words()
    }

    /// The names after `import`, with their lines; `import struct A.B` counts as `A`.
    var imports: [(module: String, line: Int)] {
        let kinds = Self.typeKeywords.union(["func", "var", "let"])
        var found: [(String, Int)] = []
        for index in words.indices where words[index].text == "import" {
            var next = index + 1
            if next < words.count, kinds.contains(words[next].text) { next += 1 }
            guard next < words.count, words[next].line == words[index].line else { continue }
            found.append((words[next].text, words[index].line))
        }
        return found
    }

    /// Names of types declared here, on the outermost level or on any.
    func declaredTypes(onlyTopLevel: Bool) -> Set<String> {
        var names: Set<String> = []
        for (word, next) in zip(words, words.dropFirst())
        where Self.typeKeywords.contains(word.text) && !word.isMember {
            // `class func` and `class var` declare no type.
            guard next.text.first?.isUppercase == true else { continue }
            guard !onlyTopLevel || word.depth == 0 else { continue }
            names.insert(next.text)
        }
        return names
    }

    /// The first mention of each of `names`, other than as a member.
    func mentions(of names: Set<String>) -> [(name: String, line: Int)] {
        var seen: Set<String> = []
        return words.compactMap { word in
            guard !word.isMember, names.contains(word.text), seen.insert(word.text).inserted else {
                return nil
            }
            return (word.text, word.line)
        }
    }
}
