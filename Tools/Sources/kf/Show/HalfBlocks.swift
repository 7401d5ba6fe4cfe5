import Foundation
import Kingfisher

/// An image as upper half blocks: the foreground is the upper pixel, the background the lower.
struct HalfBlocks {
    let text: String

    private enum Palette {
        case trueColour, cube, characters
    }

    init?(_ image: KFCrossPlatformImage) {
        guard let grid = PixelGrid(image) else { return nil }
        let palette = Self.palette(ProcessInfo.processInfo.environment)
        text = stride(from: 0, to: grid.height, by: 2)
            .map { Self.row(grid, $0, palette) }
            .joined()
    }

    private static func palette(_ environment: [String: String]) -> Palette {
        if environment["NO_COLOR"]?.isEmpty == false { return .characters }
        let isTrue = environment["COLORTERM"].map { $0 == "truecolor" || $0 == "24bit" }
        return isTrue ?? !Terminal.outputIsTerminal ? .trueColour : .cube
    }

    private static func row(_ grid: PixelGrid, _ top: Int, _ palette: Palette) -> String {
        var line = ""
        var last = ""
        for x in 0..<grid.width {
            let upper = grid[x, top]
            let lower = top + 1 < grid.height ? grid[x, top + 1] : (0, 0, 0)
            guard palette != .characters else {
                line.append(character(upper, lower))
                continue
            }
            let colours = "\u{1B}[38;\(code(upper, palette));48;\(code(lower, palette))m"
            if colours != last { line += colours }
            last = colours
            line += "▀"
        }
        return line + (palette == .characters ? "\n" : "\u{1B}[0m\n")
    }

    private typealias Colour = (red: Int, green: Int, blue: Int)

    private static func code(_ colour: Colour, _ palette: Palette) -> String {
        guard palette == .cube else { return "2;\(colour.red);\(colour.green);\(colour.blue)" }
        let level = { (value: Int) in (value * 5 + 127) / 255 }
        return "5;\(16 + 36 * level(colour.red) + 6 * level(colour.green) + level(colour.blue))"
    }

    /// A character with the brightness of both pixels.
    private static func character(_ upper: Colour, _ lower: Colour) -> Character {
        let luma = { (colour: Colour) in
            (299 * colour.red + 587 * colour.green + 114 * colour.blue) / 1000
        }
        let ramp = Array(" .:-=+*#%@")
        return ramp[(luma(upper) + luma(lower)) * (ramp.count - 1) / 510]
    }
}
