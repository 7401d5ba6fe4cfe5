/// Reads the markup of a ``WatermarkText``.
struct WatermarkMarkup {
    private typealias Fault = WatermarkText.Fault
    private typealias Style = WatermarkText.Style

    private static let deepest = 16
    /// From small print to a size that fills a result.
    private static let sizes = 4.0...96.0

    private var rest: Substring
    private var open: [(name: String, style: Style)] = []
    private var style: Style { open.last?.style ?? Style() }

    init(_ markup: String) { rest = markup[...] }

    /// The lines of the text.
    ///
    /// - Throws: `Fault` for markup that is malformed or not supported.
    mutating func lines() throws(WatermarkText.Fault) -> [[WatermarkText.Run]] {
        var lines: [[WatermarkText.Run]] = [[]]
        while let first = rest.unicodeScalars.first {
            switch first {
            case "<": try readTag()
            case "\n":
                rest.unicodeScalars.removeFirst()
                lines.append([])
            default:
                let text = try first == "&" ? readEntity() : readText()
                // XML has no such characters.
                guard text.unicodeScalars.allSatisfy(Self.isText) else {
                    throw Fault(reason: "the text has a control character")
                }
                lines[lines.count - 1].append(.init(text: text, style: style))
            }
        }
        guard let last = open.last else { return lines }
        throw Fault(reason: "<\(last.name)> has no end")
    }

    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory != .control
            && !scalar.properties.isNoncharacterCodePoint
    }

    private mutating func readText() -> String {
        let text = rest.unicodeScalars.prefix { !["<", "&", "\n"].contains($0) }
        rest.unicodeScalars.removeFirst(text.count)
        return String(text)
    }

    private mutating func readEntity() throws(WatermarkText.Fault) -> String {
        let usual = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        guard
            let match = rest.prefixMatch(
                of: /&(?:([a-z]{2,4})|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));/
            )
        else { throw Fault(reason: "write &amp; for an ampersand") }
        rest = rest[match.range.upperBound...]
        if let name = match.output.1, let text = usual[String(name)] { return text }
        let number =
            match.output.2.flatMap { UInt32($0) }
            ?? match.output.3.flatMap { UInt32($0, radix: 16) }
        guard let scalar = number.flatMap({ Unicode.Scalar($0) }) else {
            throw Fault(reason: "\(match.output.0) is not supported")
        }
        return String(Character(scalar))
    }

    // MARK: Tags

    private mutating func readTag() throws(WatermarkText.Fault) {
        if let match = rest.prefixMatch(of: /<\/([a-z]+)\s*>/) {
            guard let last = open.popLast(), last.name == match.output.1 else {
                throw Fault(reason: "\(match.output.0) ends nothing")
            }
            rest = rest[match.range.upperBound...]
            return
        }
        guard
            let match = rest.prefixMatch(
                of: /<([a-z]+)((?:\s+[a-z_]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))*)\s*>/
            )
        else { throw Fault(reason: "write &lt; for a <, or a tag of Pango's markup") }
        rest = rest[match.range.upperBound...]
        let name = String(match.output.1)
        guard open.count < Self.deepest else { throw Fault(reason: "too many tags are open") }
        var style = try look(of: name)
        for attribute in match.output.2.matches(of: /([a-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/) {
            guard name == "span" else { throw Fault(reason: "<\(name)> has no attributes") }
            let value = attribute.output.2 ?? attribute.output.3 ?? ""
            try Self.set(String(attribute.output.1), to: String(value), in: &style)
        }
        open.append((name, style))
    }

    private func look(of tag: String) throws(WatermarkText.Fault) -> WatermarkText.Style {
        var style = self.style
        switch tag {
        case "b": style.weight = "bold"
        case "i": style.isItalic = true
        case "u": style.isUnderlined = true
        case "s": style.isStruck = true
        case "tt": style.family = "monospace"
        case "big": style.size = min(style.size * 1.2, Self.sizes.upperBound)
        case "small": style.size = max(style.size / 1.2, Self.sizes.lowerBound)
        case "span": break
        default: throw Fault(reason: "<\(tag)> is not supported")
        }
        return style
    }

    // MARK: Attributes

    private static func set(
        _ name: String,
        to value: String,
        in style: inout WatermarkText.Style
    ) throws(WatermarkText.Fault) {
        let isKnown =
            switch name {
            case "foreground", "fgcolor", "color": setColour(value, &style)
            case "font_family", "face": setFamily(value, &style)
            case "font_size", "size": setSize(value, &style)
            case "font_weight", "weight": setWeight(value, &style)
            case "font_style", "style": setSlant(value, &style)
            case "font", "font_desc": setFont(value, &style)
            default: false
            }
        guard isKnown else { throw Fault(reason: "\(name)=\"\(value)\" is not supported") }
    }

    private static func setColour(_ value: String, _ style: inout WatermarkText.Style) -> Bool {
        style.colour = value
        return value.wholeMatch(of: /#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}|[a-zA-Z]{3,24}/) != nil
    }

    private static func setFamily(_ value: String, _ style: inout WatermarkText.Style) -> Bool {
        let usual = ["sans": "sans-serif", "mono": "monospace"]
        style.family = usual[value.lowercased()] ?? value
        return value.wholeMatch(of: /[\w ,-]{1,64}/) != nil
    }

    /// `12pt`, or 1024ths of a point.
    private static func setSize(_ value: String, _ style: inout WatermarkText.Style) -> Bool {
        let points =
            value.hasSuffix("pt") ? Double(value.dropLast(2)) : Double(value).map { $0 / 1024 }
        guard let points, sizes.contains(points) else { return false }
        style.size = points
        return true
    }

    private static func setWeight(_ value: String, _ style: inout WatermarkText.Style) -> Bool {
        let names = [
            "ultralight": "200", "light": "300", "normal": "normal", "bold": "bold",
            "ultrabold": "800", "heavy": "900",
        ]
        guard
            let weight = names[value] ?? value.wholeMatch(of: /[1-9]00/).map({ String($0.output) })
        else { return false }
        style.weight = weight
        return true
    }

    private static func setSlant(_ value: String, _ style: inout WatermarkText.Style) -> Bool {
        style.isItalic = value != "normal"
        return ["normal", "italic", "oblique"].contains(value)
    }

    /// A family, words for weight and slant, and a size, such as `Sans Bold 24`.
    private static func setFont(_ value: String, _ style: inout WatermarkText.Style) -> Bool {
        var words = value.split(separator: " ").map(String.init)
        if let last = words.last, let points = Double(last) {
            guard sizes.contains(points) else { return false }
            style.size = points
            words.removeLast()
        }
        while let last = words.last?.lowercased() {
            let isSlant = ["italic", "oblique"].contains(last)
            guard isSlant || setWeight(last, &style) else { break }
            if isSlant { style.isItalic = true }
            words.removeLast()
        }
        return words.isEmpty || setFamily(words.joined(separator: " "), &style)
    }
}
