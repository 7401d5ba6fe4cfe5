import Foundation
import Kingfisher

/// A text that is drawn as a watermark, by way of an SVG drawing.
///
/// A part of Pango's markup is read: `b`, `big`, `i`, `s`, `small`, `tt`, `u`, and `span` with a
/// colour, family, size, weight, style or description of a font.
struct WatermarkText: Sendable, Hashable {
    /// Why a text is refused.
    struct Fault: Error {
        let reason: String
    }

    /// The look of a part of a text.
    struct Style: Sendable, Hashable {
        var family = "sans-serif"
        /// In points, which are pixels of the watermark's own size.
        var size: Double = 16
        var weight = "normal"
        var isItalic = false
        var isUnderlined = false
        var isStruck = false
        var colour = "#000000"
    }

    /// A part of a line with one look.
    struct Run: Sendable, Hashable {
        var text: String
        var style: Style
    }

    /// The pixels for one of the own size, so that larger watermarks are sharp.
    static let density: Double = 4
    /// The longest side of a drawing in pixels.
    static let longestSide = 16_384
    /// The largest drawing in pixels.
    private static let largestArea = 16 << 20
    private static let longestMarkup = 2_048
    private static let mostCharacters = 200
    private static let mostLines = 8

    /// The text with its markup.
    let markup: String
    private let lines: [[Run]]
    private let width: Int
    private let height: Int

    /// Reads a text.
    ///
    /// - Throws: ``Fault`` for a text that is empty, too long or too large, or has other markup.
    init(_ markup: String) throws(Fault) {
        guard markup.utf8.count <= Self.longestMarkup else {
            throw Fault(reason: "the text is longer than \(Self.longestMarkup) bytes")
        }
        self.markup = markup
        var reader = WatermarkMarkup(markup)
        lines = try reader.lines()
        let characters = lines.joined().reduce(0) { $0 + $1.text.unicodeScalars.count }
        guard characters > 0 else { throw Fault(reason: "the text is empty") }
        guard characters <= Self.mostCharacters, lines.count <= Self.mostLines else {
            throw Fault(
                reason: "the text has more than \(Self.mostCharacters) characters or "
                    + "\(Self.mostLines) lines"
            )
        }
        let margin = 2 * (lines.map(Self.size).max() ?? 0)
        width = Int((lines.map(Self.width).max() ?? 0) + margin)
        height = Int(lines.reduce(0) { $0 + Self.height($1) } + margin)
        guard max(width, height) <= Self.longestSide, width * height <= Self.largestArea else {
            throw Fault(reason: "the text is too large")
        }
    }

    /// The largest size of a line in pixels; that of usual text for an empty line.
    private static func size(_ line: [Run]) -> Double {
        (line.map(\.style.size).max() ?? Style().size) * density
    }

    private static func height(_ line: [Run]) -> Double { size(line) * 1.25 }

    /// At least the width of a line: few characters are as wide as their font is high.
    private static func width(_ line: [Run]) -> Double {
        line.reduce(0) { width, run in
            width
                + run.text.unicodeScalars.reduce(0) {
                    $0 + run.style.size * density * ($1.value < 0x1_F000 ? 1 : 1.4)
                }
        }
    }

    /// The SVG drawing, with room on all sides.
    var drawing: Data {
        let margin = lines.map(Self.size).max() ?? 0
        var y = margin
        let texts = lines.map { line in
            y += Self.height(line)
            let runs = line.map(\.element).joined()
            return "<text xml:space=\"preserve\" x=\"\(margin)\" y=\"\(y)\">\(runs)</text>"
        }
        return Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)">\
            \(texts.joined())</svg>
            """.utf8
        )
    }
}

extension WatermarkText.Run {
    /// The element of SVG.
    fileprivate var element: String {
        let lines = [
            style.isUnderlined ? "underline" : nil, style.isStruck ? "line-through" : nil,
        ].compactMap { $0 }
        let attributes = [
            ("font-family", style.family), ("font-size", "\(style.size * WatermarkText.density)"),
            ("font-weight", style.weight), ("font-style", style.isItalic ? "italic" : "normal"),
            ("fill", style.colour),
            ("text-decoration", lines.isEmpty ? "none" : lines.joined(separator: " ")),
        ].map { " \($0)=\"\(Self.escaped($1))\"" }
        return "<tspan\(attributes.joined())>\(Self.escaped(text))</tspan>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
