import Testing

@testable import KFPixels

struct OverlayTests {
    typealias Pictures = TestPictures
    private let orange = RGBA(red: 255, green: 128, blue: 0)

    @Test func `DRW-8: a fraction of 0 gives the colour in the bitmap's shape`() throws {
        let picture = try Pictures.noise(21, 7)
        let result = try overlay(picture, color: orange, fraction: 0)
        for y in 0..<7 {
            for x in 0..<21 {
                var expected = orange
                expected.alpha = picture[x, y].alpha
                #expect(result[x, y] == expected.premultiplied)
            }
        }
    }

    @Test func `DRW-8: a fraction of 1 gives the bitmap`() throws {
        let picture = try Pictures.noise(21, 7)
        #expect(try overlay(picture, color: orange, fraction: 1) == picture)
        #expect(try overlay(picture, color: orange, fraction: 5) == picture)
    }

    @Test func `DRW-8: between, the bitmap lies over the colour`() throws {
        let picture = try Pictures.photo(21, 7)
        let result = try overlay(picture, color: orange, fraction: 0.25)
        for x in 0..<21 {
            let expected = Double(picture[x, 3].red) * 0.25 + 255 * 0.75
            #expect(abs(Double(result[x, 3].red) - expected) <= 1)
        }
        #expect(result.isOpaque)
        #expect(result[0, 0].alpha == 255)
    }

    @Test(arguments: [-.infinity, -1, .nan, 0.0])
    func `odd fractions count as none`(fraction: Double) throws {
        let picture = try Pictures.noise(4, 4)
        let expected = try overlay(picture, color: orange, fraction: 0)
        #expect(try overlay(picture, color: orange, fraction: fraction) == expected)
    }

    @Test func `DRW-9: a tint covers transparent parts too`() throws {
        let picture = try Pictures.noise(30, 9)
        let colour = RGBA(red: 0, green: 200, blue: 40, alpha: 100)
        let result = try tint(picture, color: colour)
        for y in 0..<9 {
            for x in 0..<30 {
                let expected = BlendReference.channels(
                    colour.premultiplied,
                    picture[x, y],
                    .normal
                )
                let pixel = result[x, y]
                let found = [pixel.red, pixel.green, pixel.blue, pixel.alpha].map { Double($0) }
                #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 1 })
            }
        }
    }

    @Test func `an opaque tint covers the whole bitmap`() throws {
        let result = try tint(Pictures.noise(3, 3), color: orange)
        #expect(try result == Pictures.constant(orange, 3, 3))
        #expect(result.isOpaque)
    }

    @Test func `a background shows where the bitmap is clear`() throws {
        let picture = try Pictures.make(20, 4) { x, _ in x < 9 ? .clear : .white }
        let result = try fillBackground(picture, color: orange)
        #expect(result[0, 0] == orange)
        #expect(result[19, 3] == .white)
        #expect(result.isOpaque)
    }

    @Test(.enabled(if: Convolution.backend == .twin, "this processor has no twins"))
    func `the twins of tint and overlay give the same pixels`() throws {
        for (width, height) in [(1, 1), (7, 3), (8, 2), (33, 5)] {
            let picture = try Pictures.noise(width, height)
            for alpha: UInt8 in [1, 100, 255] {
                let colour = RGBA(red: 255, green: 128, blue: 3, alpha: alpha)
                let tints = try Convolution.Backend.allCases.map {
                    try tint(picture, color: colour, backend: $0)
                }
                #expect(tints[0] == tints[1])
                for fraction in [0, 0.3, 0.99] {
                    let overlays = try Convolution.Backend.allCases.map {
                        try overlay(picture, color: colour, fraction: fraction, backend: $0)
                    }
                    #expect(overlays[0] == overlays[1])
                }
            }
        }
    }
}
