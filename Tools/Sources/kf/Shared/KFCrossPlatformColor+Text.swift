import Foundation
import Kingfisher

extension KFCrossPlatformColor {
    /// The names of CSS's first level, and `transparent`.
    private static let names = [
        "aqua": "#00ffff", "black": "#000000", "blue": "#0000ff", "fuchsia": "#ff00ff",
        "gray": "#808080", "green": "#008000", "lime": "#00ff00", "maroon": "#800000",
        "navy": "#000080", "olive": "#808000", "purple": "#800080", "red": "#ff0000",
        "silver": "#c0c0c0", "teal": "#008080", "white": "#ffffff", "yellow": "#ffff00",
        "transparent": "#00000000",
    ]

    /// Reads a name of CSS's first level, `transparent`, `#rgb`, `#rrggbb` or `#rrggbbaa`.
    init?(text: String) {
        let code = Self.names[text.lowercased()] ?? text
        var digits = Array(code.dropFirst())
        if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
        let isHex = digits.allSatisfy { $0.isASCII && $0.isHexDigit }
        guard code.hasPrefix("#"), isHex, digits.count == 6 || digits.count == 8 else {
            return nil
        }
        let channels = stride(from: 0, to: digits.count, by: 2).map {
            CGFloat(Int(String(digits[$0...($0 + 1)]), radix: 16) ?? 0) / 255
        }
        self.init(
            red: channels[0],
            green: channels[1],
            blue: channels[2],
            alpha: channels.count > 3 ? channels[3] : 1
        )
    }

    /// The colour as `#rrggbb`, without the alpha.
    var hexadecimal: String {
        let parts = [red, green, blue].map { Int((min(1, max(0, $0)) * 255).rounded()) }
        return "#" + parts.map { String(format: "%02x", $0) }.joined()
    }
}
