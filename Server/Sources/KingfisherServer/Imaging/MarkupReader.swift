import Foundation

/// Reads the elements and texts of a drawing.
///
/// Source: W3C, "Extensible Markup Language (XML) 1.0" and "Namespaces in XML 1.0", without declarations of a document's own: the
/// only entities are the five of XML. Comments and processing instructions are skipped. Takes time and memory in proportion to the
/// bytes.
struct MarkupReader {
    /// A name with the namespace of its prefix; empty for none.
    struct Name: Hashable {
        let space: String
        let local: String
    }

    /// The beginning of an element.
    struct Element {
        let name: Name
        /// Without declarations of namespaces.
        let attributes: [(name: Name, value: String)]
    }

    enum Part {
        case start(Element)
        case end
        case text(String)
    }

    static let maximalDepth = 200
    static let maximalElements = 100_000
    static let maximalAttributes = 200
    /// The most namespaces that are declared at once.
    static let maximalSpaces = 50

    private let bytes: [UInt8]
    private var index = 0
    /// The names of the open elements, with their prefixes.
    private var open: [String] = []
    private var scopes: [(prefix: String, space: String)] = [
        ("xml", "http://www.w3.org/XML/1998/namespace")
    ]
    /// The number of namespaces outside of each open element.
    private var marks: [Int] = []
    private var elementCount = 0
    /// Whether the last element has ended within its tag.
    private var endsElement = false

    /// Begins a document.
    ///
    /// - Throws: ``DrawingFault`` if it is no text.
    init(_ file: Data) throws(DrawingFault) { bytes = try DrawingText.bytes(of: file) }

    /// The next part; nil at the end of the document.
    ///
    /// - Throws: ``DrawingFault`` if the document is not well-formed, declares something, or is above a limit.
    mutating func next() throws(DrawingFault) -> Part? {
        if endsElement {
            endsElement = false
            return close()
        }
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                let text = try text(until: "<")
                if !open.isEmpty { return .text(text) }
                guard text.utf8.allSatisfy(Self.isSpace) else {
                    throw DrawingFault("it has text outside of its first element")
                }
                continue
            }
            if takes("<!--") {
                _ = try skip(to: "-->")
            } else if takes("<?") {
                _ = try skip(to: "?>")
            } else if takes("<![CDATA[") {
                let content = try skip(to: "]]>")
                guard !open.isEmpty else { throw Self.malformed }
                return .text(String(decoding: bytes[content], as: UTF8.self))
            } else if takes("<!DOCTYPE") {
                try skipDeclaration()
            } else if takes("</") {
                return try end()
            } else {
                index += 1
                return .start(try element())
            }
        }
        guard open.isEmpty, elementCount > 0 else { throw DrawingFault("it ends early") }
        return nil
    }

    // MARK: Elements

    private mutating func element() throws(DrawingFault) -> Element {
        elementCount += 1
        guard elementCount == 1 || !open.isEmpty else { throw Self.malformed }
        guard elementCount <= Self.maximalElements, open.count < Self.maximalDepth else {
            throw DrawingFault(
                "it has more than \(Self.maximalElements) elements, or they nest deeper than \(Self.maximalDepth)"
            )
        }
        let name = try name()
        open.append(name)
        marks.append(scopes.count)
        var attributes: [(name: String, value: String)] = []
        while true {
            let hasSpace = skipSpace()
            if takes("/>") {
                endsElement = true
                break
            }
            if takes(">") { break }
            guard hasSpace else { throw Self.malformed }
            let attribute = try attribute()
            guard let prefix = Self.declaredPrefix(attribute.name) else {
                attributes.append(attribute)
                continue
            }
            // Neither may be bound to another namespace.
            guard prefix != "xml", prefix != "xmlns" else { throw Self.malformed }
            scopes.append((prefix, attribute.value))
        }
        guard attributes.count <= Self.maximalAttributes, scopes.count <= Self.maximalSpaces else {
            throw DrawingFault("an element has too many attributes")
        }
        var resolved: [(name: Name, value: String)] = []
        var names: Set<Name> = []
        for attribute in attributes {
            let name = try resolve(attribute.name, usual: "")
            guard names.insert(name).inserted else { throw Self.malformed }
            resolved.append((name, attribute.value))
        }
        return Element(name: try resolve(name, usual: space(of: "") ?? ""), attributes: resolved)
    }

    private mutating func attribute() throws(DrawingFault) -> (name: String, value: String) {
        let name = try name()
        _ = skipSpace()
        guard takes("=") else { throw Self.malformed }
        _ = skipSpace()
        let isDouble = takes("\"")
        guard isDouble || takes("'") else { throw Self.malformed }
        let value = try text(until: isDouble ? "\"" : "'", isValue: true)
        guard takes(isDouble ? "\"" : "'") else { throw Self.malformed }
        return (name, value)
    }

    private mutating func end() throws(DrawingFault) -> Part {
        let name = try name()
        _ = skipSpace()
        guard takes(">"), open.last == name else { throw Self.malformed }
        return close()
    }

    private mutating func close() -> Part {
        open.removeLast()
        scopes.removeSubrange(marks.removeLast()...)
        return .end
    }

    // MARK: Names

    /// The prefix that an attribute declares; nil for other attributes.
    private static func declaredPrefix(_ name: String) -> String? {
        if name == "xmlns" { return "" }
        return name.hasPrefix("xmlns:") ? String(name.dropFirst(6)) : nil
    }

    private func space(of prefix: String) -> String? {
        scopes.last { $0.prefix == prefix }?.space
    }

    private func resolve(_ name: String, usual: String) throws(DrawingFault) -> Name {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 1 { return Name(space: usual, local: name) }
        guard parts.count == 2, !parts[1].isEmpty, let space = space(of: String(parts[0])),
            !space.isEmpty
        else { throw DrawingFault("a prefix has no namespace") }
        return Name(space: space, local: String(parts[1]))
    }

    private mutating func name() throws(DrawingFault) -> String {
        let start = index
        while index < bytes.count, Self.isNamePart(bytes[index]) { index += 1 }
        guard index > start, !"-.0123456789:".utf8.contains(bytes[start]) else {
            throw Self.malformed
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "_:-.".utf8.contains(byte)
        }
    }

    // MARK: Texts

    /// The text before a byte, with its references resolved; to the end of the document if there is none.
    private mutating func text(
        until end: Unicode.Scalar,
        isValue: Bool = false
    ) throws(DrawingFault) -> String {
        var text: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: end) {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "&") {
                text += Array(String(try reference()).utf8)
            } else if isValue, byte == UInt8(ascii: "<") {
                throw Self.malformed
            } else {
                text.append(isValue && Self.isSpace(byte) ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The character that a reference stands for.
    private mutating func reference() throws(DrawingFault) -> Character {
        let rest = bytes[index...].prefix(12)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw Self.malformed }
        let name = String(decoding: bytes[index..<end], as: UTF8.self)
        index = end + 1
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard name.hasPrefix("#"), digits.allSatisfy(\.isHexDigit),
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            let scalar = Unicode.Scalar(number), DrawingText.isCharacter(scalar)
        else { throw DrawingFault("it has an entity that is not one of XML's own") }
        return Character(scalar)
    }

    // MARK: Skipping

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Skips white space; returns whether there is some.
    private mutating func skipSpace() -> Bool {
        let start = index
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
        return index > start
    }

    /// Skips a text if it comes next; returns whether it does.
    private mutating func takes(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count,
            (0..<count).allSatisfy({ bytes[index + $0] == text.utf8Start[$0] })
        else { return false }
        index += count
        return true
    }

    /// Skips the bytes up to a text and this text; returns where the bytes are.
    private mutating func skip(to text: StaticString) throws(DrawingFault) -> Range<Int> {
        let start = index
        while index < bytes.count {
            let end = index
            if takes(text) { return start..<end }
            index += 1
        }
        throw DrawingFault("it ends early")
    }

    /// Skips the declaration of the document's type, which may name it only.
    private mutating func skipDeclaration() throws(DrawingFault) {
        guard elementCount == 0 else { throw Self.malformed }
        while index < bytes.count {
            if takes(">") { return }
            if takes("\"") {
                _ = try skip(to: "\"")
            } else if takes("'") {
                _ = try skip(to: "'")
            } else if bytes[index] == UInt8(ascii: "[") || bytes[index] == UInt8(ascii: "<") {
                throw DrawingFault("it declares entities or elements of its own")
            } else {
                index += 1
            }
        }
        throw DrawingFault("it ends early")
    }

    private static let malformed = DrawingFault("it is not well-formed XML")
}

/// Why a drawing is not passed on.
struct DrawingFault: Error {
    /// A sentence without its full stop, about "it", the drawing.
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
