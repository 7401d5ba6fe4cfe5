/// Finds the first element of an XML document, behind any declarations and comments.
///
/// Source: W3C, "Extensible Markup Language (XML) 1.0", 2.8. Reads UTF-16 by its byte order mark or its first character,
/// and everything else as ASCII.
struct XMLBeginning {
    /// How far it looks.
    private static let maxBytes = 1 << 18

    private let bytes: UnsafeRawBufferPointer
    /// The bytes of a character, and the place of its low byte.
    private let width: Int
    private let low: Int
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.maxBytes))
        let first = bytes.prefix(3)
        if first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0x3C, 0]) {
            (width, low) = (2, 0)
        } else if first.starts(with: [0xFE, 0xFF]) || first.starts(with: [0, 0x3C]) {
            (width, low) = (2, 1)
        } else {
            (width, low) = (1, 0)
        }
        if width == 2, first.first ?? 0 >= 0xFE { position = 1 }
        if first.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The name of the first element without its prefix; nil if there is none.
    mutating func element() -> String? {
        while true {
            while let unit, unit <= 0x20 { position += 1 }
            guard unit == UInt8(ascii: "<") else { return nil }
            if skip("<?", to: "?>") || skip("<!--", to: "-->") { continue }
            guard has("<!") else { break }
            skipDeclaration()
        }
        position += 1
        var name: [UInt8] = []
        while let unit, unit > 0x20, !Self.ends.contains(unit), name.count < 256 {
            name.append(unit)
            position += 1
        }
        return name.split(separator: UInt8(ascii: ":")).last
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static let ends = Set("/><".utf8)

    /// The present character; 0x80 for all that are not ASCII, nil at the end.
    private var unit: UInt8? { unit(at: position) }

    private func unit(at index: Int) -> UInt8? {
        let start = index * width
        guard start + width <= bytes.count else { return nil }
        return width == 2 && bytes[start + 1 - low] != 0 ? 0x80 : bytes[start + low]
    }

    private func has(_ text: StaticString) -> Bool {
        (0..<text.utf8CodeUnitCount).allSatisfy { unit(at: position + $0) == text.utf8Start[$0] }
    }

    /// Skips a part that begins here; returns whether it does.
    private mutating func skip(_ beginning: StaticString, to end: StaticString) -> Bool {
        guard has(beginning) else { return false }
        position += beginning.utf8CodeUnitCount
        while unit != nil, !has(end) { position += 1 }
        position += end.utf8CodeUnitCount
        return true
    }

    /// Skips a declaration of the type of the document, with what it declares in brackets.
    private mutating func skipDeclaration() {
        var depth = 0
        while let unit {
            switch unit {
            case UInt8(ascii: "\""): _ = skip("\"", to: "\"")
            case UInt8(ascii: "'"): _ = skip("'", to: "'")
            case UInt8(ascii: "<") where has("<!--"): _ = skip("<!--", to: "-->")
            default:
                position += 1
                if unit == UInt8(ascii: "<") { depth += 1 }
                if unit == UInt8(ascii: ">") { depth -= 1 }
                if unit == UInt8(ascii: ">"), depth == 0 { return }
            }
        }
    }
}
