import Testing

@testable import KFPixels

struct RoundCornersTests {
    typealias Pictures = TestPictures

    /// Coverage by counting 16 × 16 points in each pixel.
    private func counted(
        _ x: Int,
        _ y: Int,
        _ width: Int,
        _ height: Int,
        _ radii: CornerRadii
    )
        -> Double
    {
        var inside = 0
        for row in 0..<16 {
            for column in 0..<16 {
                let px = Double(x) + (Double(column) + 0.5) / 16
                let py = Double(y) + (Double(row) + 0.5) / 16
                let right = Double(width) - px
                let bottom = Double(height) - py
                func isCut(_ r: Double, _ dx: Double, _ dy: Double) -> Bool {
                    dx < r && dy < r && (r - dx) * (r - dx) + (r - dy) * (r - dy) > r * r
                }
                let cut =
                    isCut(radii.topLeft, px, py) || isCut(radii.topRight, right, py)
                    || isCut(radii.bottomLeft, px, bottom)
                    || isCut(radii.bottomRight, right, bottom)
                if !cut { inside += 1 }
            }
        }
        return Double(inside) / 256
    }

    @Test(arguments: [
        CornerRadii(all: 8), CornerRadii(topLeft: 15), CornerRadii(topRight: 6.5, bottomLeft: 3),
        CornerRadii(topLeft: 2, topRight: 4, bottomLeft: 8, bottomRight: 15),
    ])
    func `edges are covered as much as the shape covers them`(radii: CornerRadii) throws {
        let white = try Pictures.constant(.white, 40, 30)
        let result = try roundCorners(white, radii: radii)
        for y in 0..<30 {
            for x in 0..<40 {
                let expected = counted(x, y, 40, 30, radii) * 255
                // Distance instead of area: an error of at most one twelfth at the steepest places.
                #expect(abs(Double(result[x, y].alpha) - expected) <= 22)
                #expect(result[x, y].red == result[x, y].alpha)
            }
        }
    }

    @Test func `half the side of a square makes a circle`() throws {
        let result = try roundCorners(
            Pictures.constant(.white, 41, 41),
            radii: CornerRadii(all: 999)
        )
        let alphas = stride(from: 3, to: 41 * 41 * 4, by: 4).map { Pictures.channels(result)[$0] }
        let area = alphas.reduce(0, +) / 255
        #expect(abs(area - Double.pi * 20.5 * 20.5) < 3)
        #expect(result[20, 0].alpha > 240)
        #expect(result[0, 0] == .clear)
        #expect(!result.isOpaque)
    }

    @Test(arguments: [0, -3, Double.nan])
    func `no radius changes nothing`(radius: Double) throws {
        let picture = try Pictures.noise(7, 9)
        #expect(try roundCorners(picture, radii: CornerRadii(all: radius)) == picture)
    }

    @Test(arguments: [(1, 1), (1, 40), (40, 1), (2, 2)])
    func `thin bitmaps survive`(size: (Int, Int)) throws {
        let picture = try Pictures.noise(size.0, size.1)
        let result = try roundCorners(picture, radii: CornerRadii(all: .infinity))
        #expect(result.size == picture.size)
    }

    @Test func `DRW-11: a border covers the outermost pixels and nothing else`() throws {
        let red = RGBA(red: 255, green: 0, blue: 0)
        let result = try addBorder(Pictures.constant(.white, 20, 16), color: red, lineWidth: 3)
        for y in 0..<16 {
            for x in 0..<20 {
                let isEdge = x < 3 || y < 3 || x >= 17 || y >= 13
                #expect(result[x, y] == (isEdge ? red : .white))
            }
        }
        #expect(result.isOpaque)
    }

    @Test func `DRW-11: half a pixel of border covers half`() throws {
        let result = try addBorder(
            Pictures.constant(.white, 9, 9),
            color: .black,
            lineWidth: 1.5
        )
        #expect(result[0, 4] == .black)
        #expect(abs(Int(result[1, 4].red) - 128) <= 1)
        #expect(result[2, 4] == .white)
    }

    @Test func `DRW-11: a rounded border leaves the corner outside alone`() throws {
        let picture = try Pictures.constant(.white, 30, 30)
        let radii = CornerRadii(all: 12)
        let result = try addBorder(picture, color: .black, lineWidth: 2, radii: radii)
        #expect(result[0, 0] == .white)
        #expect(result[15, 0] == .black)
        #expect(result[15, 15] == .white)
        // The diagonal crosses the stroke 12 − 12/√2 ≈ 3.5 pixels from the corner.
        #expect(result[4, 4].red < 40)
    }

    @Test(arguments: [0, -1, Double.nan, .infinity, 500])
    func `odd border widths draw nothing or everything`(width: Double) throws {
        let picture = try Pictures.constant(.white, 6, 4)
        let result = try addBorder(picture, color: .black, lineWidth: width)
        #expect(try result == Pictures.constant(width > 0 ? .black : .white, 6, 4))
    }

    @Test func `the bitmap shows through a translucent border`() throws {
        let half = RGBA(red: 0, green: 0, blue: 0, alpha: 128)
        let result = try addBorder(Pictures.constant(.white, 6, 4), color: half, lineWidth: 1)
        #expect(abs(Int(result[0, 0].red) - 127) <= 1)
        #expect(result[0, 0].alpha == 255)
    }
}
