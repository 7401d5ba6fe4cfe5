import FoundationEssentials

/// Rewrites `feDropShadow`, which librsvg 2.54 drops together with the shape, as the filters that it stands for.
///
/// Source: W3C, "Filter Effects Module Level 1", 9.13. Takes time in proportion to the bytes: an element ends before the next
/// angle bracket.
enum DropShadows {
    private static let name = Array("feDropShadow".utf8)

    /// The same drawing without any; nil if it has none.
    static func rewritten(_ bytes: UnsafeRawBufferPointer) -> Data? {
        var result = Data()
        var copied = 0
        var count = 0
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start + 1
            guard let tag = Tag(bytes, at: start) else { continue }
            result.append(contentsOf: bytes[copied..<start])
            result.append(contentsOf: text(for: tag, count).utf8)
            (copied, position) = (tag.end, tag.end)
            count += 1
        }
        guard count > 0 else { return nil }
        result.append(contentsOf: bytes[copied...])
        return result
    }

    private static func text(for tag: Tag, _ number: Int) -> String {
        let p = tag.prefix
        let (input, blurred, colour) =
            ("kf-in-\(number)", "kf-blur-\(number)", "kf-colour-\(number)")
        let area = tag.attributes(["x", "y", "width", "height", "color-interpolation-filters"])
        let style = tag.attributes(["class", "style", "flood-color", "flood-opacity"])
        let offset = "dx=\"\(tag.value("dx") ?? "2")\" dy=\"\(tag.value("dy") ?? "2")\""
        return """
            <\(p)feOffset \(tag.attributes(["in"])) result="\(input)"/>\
            <\(p)feGaussianBlur in="\(input)" stdDeviation="\(tag.value("stdDeviation") ?? "2")" \(area)/>\
            <\(p)feOffset \(offset) \(area) result="\(blurred)"/>\
            <\(p)feFlood \(style) \(area) result="\(colour)"/>\
            <\(p)feComposite in="\(colour)" in2="\(blurred)" operator="in" \(area) result="\(colour)"/>\
            <\(p)feMerge \(area) \(tag.attributes(["result"]))>\
            <\(p)feMergeNode in="\(colour)"/><\(p)feMergeNode in="\(input)"/></\(p)feMerge>
            """
    }

    /// An element, with its contents.
    private struct Tag {
        /// That of its name, with a colon.
        var prefix = ""
        var end: Int
        private var values: [(name: String, value: String)] = []

        /// The element that begins at an angle bracket; nil for others and those without an end.
        init?(_ bytes: UnsafeRawBufferPointer, at start: Int) {
            var index = start + 1
            func isName(_ byte: UInt8) -> Bool { byte > 0x20 && !"/><=\"'".utf8.contains(byte) }
            func word() -> Range<Int> {
                let first = index
                while index < bytes.count, index - first < 256, isName(bytes[index]) { index += 1 }
                return first..<index
            }
            let name = bytes[word()]
            guard name.count < 64,
                name.suffix(DropShadows.name.count).elementsEqual(DropShadows.name)
            else { return nil }
            let rest = name.dropLast(DropShadows.name.count)
            guard rest.isEmpty || rest.last == UInt8(ascii: ":") else { return nil }
            prefix = String(decoding: rest, as: UTF8.self)
            end = 0
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "/")
                where index + 1 < bytes.count
                    && bytes[index + 1] == UInt8(ascii: ">"):
                    end = index + 2
                    return
                case UInt8(ascii: "<"):
                    return nil
                case UInt8(ascii: ">"):
                    // Nothing inside of it is drawn. Without an end, the document is no XML.
                    let close = Array("</\(prefix)feDropShadow>".utf8)
                    end = bytes[index...].firstRange(of: close)?.upperBound ?? bytes.count
                    return
                case let byte where isName(byte):
                    let name = String(decoding: bytes[word()], as: UTF8.self)
                    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
                    guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "=") else {
                        return nil
                    }
                    index += 1
                    while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
                    guard index < bytes.count, "\"'".utf8.contains(bytes[index]),
                        let close = bytes[(index + 1)...].firstIndex(of: bytes[index])
                    else { return nil }
                    values.append(
                        (name, String(decoding: bytes[(index + 1)..<close], as: UTF8.self))
                    )
                    index = close + 1
                default:
                    index += 1
                }
            }
            return nil
        }

        func value(_ name: String) -> String? {
            values.first { $0.name == name }?.value.replacing("\"", with: "&quot;")
        }

        /// Those that it has.
        func attributes(_ names: [String]) -> String {
            names.compactMap { name in value(name).map { "\(name)=\"\($0)\"" } }
                .joined(separator: " ")
        }
    }
}
