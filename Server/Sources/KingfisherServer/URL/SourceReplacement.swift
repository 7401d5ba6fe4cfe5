/// A beginning of sources that stands for another one: `shop://*=https://${1}.example.com/images`.
///
/// A `*` stands for any text without a slash, which `${1}`, `${2}` and so on repeat.
struct SourceReplacement: Sendable, Hashable {
    /// The text as in the configuration.
    let text: String
    private let pieces: [[UInt8]]
    private let result: [UInt8]

    /// Reads a pattern and its replacement; nil if there is no `=` between them, or no pattern.
    init?(_ text: String) {
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty else { return nil }
        self.text = text
        pieces = sides[0].utf8
            .split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
            .map(Array.init)
        result = Array(sides[1].utf8)
    }

    /// The source with its beginning replaced; nil if that does not match.
    func applied(to source: String) -> String? {
        var rest = Array(source.utf8)[...]
        guard rest.starts(with: pieces[0]) else { return nil }
        rest.removeFirst(pieces[0].count)
        var found: [[UInt8]] = []
        for piece in pieces.dropFirst() {
            var group: [UInt8] = []
            // As much as possible at the end of the pattern, else as little as possible.
            while piece.isEmpty || !rest.starts(with: piece) {
                guard let byte = rest.first, byte != UInt8(ascii: "/") else { break }
                group.append(byte)
                rest.removeFirst()
            }
            guard rest.starts(with: piece) else { return nil }
            rest.removeFirst(piece.count)
            found.append(group)
        }
        return String(decoding: replaced(found) + rest, as: UTF8.self)
    }

    private func replaced(_ groups: [[UInt8]]) -> [UInt8] {
        var (text, rest) = ([UInt8](), result[...])
        while let byte = rest.popFirst() {
            let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "}") }
            guard byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "{"),
                let number = Int(String(decoding: name, as: UTF8.self)),
                groups.indices.contains(number - 1), name.endIndex < rest.endIndex
            else {
                text.append(byte)
                continue
            }
            text += groups[number - 1]
            rest = rest[(name.endIndex + 1)...]
        }
        return text
    }
}
