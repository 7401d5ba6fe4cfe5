import Foundation
import Kingfisher

/// An image as upper half blocks: the foreground is the upper pixel, the background the lower.
struct HalfBlocks {
    let text: String

    private enum Palette {
        case trueColour, indexed, characters
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
        return isTrue ?? !Terminal.outputIsTerminal ? .trueColour : .indexed
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
        guard palette == .indexed else { return "2;\(colour.red);\(colour.green);\(colour.blue)" }
        return "5;\(index(colour))"
    }

    /// The levels of a channel in xterm's cube of 6 × 6 × 6 colours, which begins at index 16.
    private static let levels = [0, 95, 135, 175, 215, 255]

    /// The nearest of xterm's 256 colours: one of the cube, or of the 24 greys after it.
    ///
    /// The first 16 are not used, because themes change them.
    private static func index(_ colour: Colour) -> Int {
        let channels = [colour.red, colour.green, colour.blue]
        let steps = channels.map { value in
            levels.indices.min { abs(levels[$0] - value) < abs(levels[$1] - value) } ?? 0
        }
        let cubeDistance = zip(steps, channels).reduce(0) { sum, pair in
            let difference = levels[pair.0] - pair.1
            return sum + difference * difference
        }
        let step = min(23, max(0, (channels.reduce(0, +) / 3 - 3) / 10))
        let greyDistance = channels.reduce(0) { sum, value in
            let difference = 8 + 10 * step - value
            return sum + difference * difference
        }
        return greyDistance < cubeDistance
            ? 232 + step : 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
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
