import Kingfisher

/// An image as sixels: bands of six rows, drawn once per colour, in a cube of 216 colours.
///
/// Source: DEC, "VT330/VT340 Programmer Reference Manual", volume 2, chapter 14.
struct Sixels {
    let text: String

    init?(_ image: KFCrossPlatformImage) {
        guard let grid = PixelGrid(image) else { return nil }
        // Square pixels, and the size of the image.
        var text = "\u{1B}Pq\"1;1;\(grid.width);\(grid.height)"
        for colour in 0..<216 {
            let levels = [colour / 36, colour / 6 % 6, colour % 6].map { "\($0 * 20)" }
            text += "#\(colour);2;" + levels.joined(separator: ";")
        }
        for top in stride(from: 0, to: grid.height, by: 6) { text += Self.band(grid, top) }
        self.text = text + "\u{1B}\\\n"
    }

    private static func band(_ grid: PixelGrid, _ top: Int) -> String {
        var rows: [Int: [UInt8]] = [:]
        for y in top..<min(top + 6, grid.height) {
            for x in 0..<grid.width {
                let colour = index(grid[x, y], x, y)
                rows[colour, default: Array(repeating: 0, count: grid.width)][x] |=
                    1 << UInt8(y - top)
            }
        }
        let lines = rows.sorted { $0.key < $1.key }.map { "#\($0.key)" + packed($0.value) }
        return lines.joined(separator: "$") + "-"
    }

    /// The colour's index in the cube, after dithering with a 2 × 2 matrix.
    private static func index(
        _ colour: (red: Int, green: Int, blue: Int),
        _ x: Int,
        _ y: Int
    ) -> Int {
        let threshold = [[32, 159], [223, 96]][y & 1][x & 1]
        let level = { (value: Int) in min(5, (value * 5 + threshold) / 255) }
        return 36 * level(colour.red) + 6 * level(colour.green) + level(colour.blue)
    }

    /// Characters of six pixels each; runs of more than three are run-length encoded.
    private static func packed(_ bits: [UInt8]) -> String {
        var text = ""
        var start = 0
        while start < bits.count {
            let end = bits[start...].firstIndex { $0 != bits[start] } ?? bits.count
            let character = String(UnicodeScalar(63 + bits[start]))
            let count = end - start
            text += count > 3 ? "!\(count)\(character)" : String(repeating: character, count: count)
            start = end
        }
        return text
    }
}
