/// A score of how much attention each row and column of a small bitmap draws.
struct AttentionMap {
    private(set) var columns: [Double]
    private(set) var rows: [Double]

    init(_ picture: Bitmap) {
        columns = [Double](repeating: 0, count: picture.width)
        rows = [Double](repeating: 0, count: picture.height)
        let colours = StraightColors(picture).all
        let luma = colours.map(Self.luma)
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let place = y * picture.width + x
                let score =
                    Self.edge(luma, x, y, picture.size)
                    + (Self.skin(colours[place], luma: luma[place])
                        + Self.saturation(colours[place], luma: luma[place])) * 0.5
                columns[x] += score
                rows[y] += score
            }
        }
    }

    /// Luma of 0…1.
    ///
    /// Transparent pixels count as black, which turns outlines into edges.
    private static func luma(_ colour: RGBA) -> Double {
        let sum =
            0.2126 * Double(colour.red) + 0.7152 * Double(colour.green)
            + 0.0722 * Double(colour.blue)
        return sum / 255 * Double(colour.alpha) / 255
    }

    private static func edge(_ luma: [Double], _ x: Int, _ y: Int, _ size: PixelSize) -> Double {
        guard x > 0, y > 0, x < size.width - 1, y < size.height - 1 else { return 0 }
        let place = y * size.width + x
        let around =
            luma[place - 1] + luma[place + 1] + luma[place - size.width] + luma[place + size.width]
        return abs(4 * luma[place] - around)
    }

    /// How close the colour's direction is to average skin, regardless of brightness: 0…1.
    private static func skin(_ colour: RGBA, luma: Double) -> Double {
        guard luma > 0.2, luma < 0.95 else { return 0 }
        let vector = SIMD3(Double(colour.red), Double(colour.green), Double(colour.blue))
        let length = (vector * vector).sum().squareRoot()
        guard length > 0 else { return 0 }
        let difference = vector / length - SIMD3(0.78, 0.57, 0.44)
        let closeness = 1 - (difference * difference).sum().squareRoot()
        return closeness > 0.8 ? (closeness - 0.8) / 0.2 : 0
    }

    private static func saturation(_ colour: RGBA, luma: Double) -> Double {
        guard luma > 0.05, luma < 0.9 else { return 0 }
        let high = Double(max(colour.red, colour.green, colour.blue)) / 255
        let low = Double(min(colour.red, colour.green, colour.blue)) / 255
        guard high > low else { return 0 }
        let middle = (high + low) / 2
        let spread = high - low
        let value = middle > 0.5 ? spread / (2 - high - low) : spread / (high + low)
        return value > 0.4 ? (value - 0.4) / 0.6 : 0
    }
}
