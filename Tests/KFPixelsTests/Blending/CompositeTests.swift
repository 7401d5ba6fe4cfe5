import Testing

@testable import KFPixels

struct CompositeTests {
    typealias Pictures = TestPictures

    @Test(arguments: BlendMode.allCases, Convolution.Backend.allCases)
    func `DRW-12: every mode follows its formula within 1 of 255`(
        mode: BlendMode,
        backend: Convolution.Backend
    ) throws {
        guard backend == .portable || Convolution.backend == .twin else { return }
        // Some pixels of each bitmap are opaque, black, white or clear: the formulas' special
        // cases.
        func special(_ picture: Bitmap, _ shift: Int) throws -> Bitmap {
            try Pictures.make(40, 30) { x, y in
                switch (x + y * 3 + shift) % 9 {
                case 0: .clear
                case 1: .white
                case 2: .black
                case 3: RGBA(red: picture[x, y].red, green: 255, blue: 0)
                default: picture[x, y]
                }
            }
        }
        let top = try special(Pictures.noise(40, 30, seed: 3), 0)
        let bottom = try special(Pictures.noise(40, 30, seed: 4), 5)
        let result = try composite(top, over: bottom, mode: mode, backend: backend)
        for y in 0..<30 {
            for x in 0..<40 {
                let expected = BlendReference.channels(top[x, y], bottom[x, y], mode)
                let pixel = result[x, y]
                let found = [pixel.red, pixel.green, pixel.blue, pixel.alpha].map { Double($0) }
                #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 1 })
            }
        }
    }

    @Test(
        .enabled(if: Convolution.backend == .twin, "this processor has no twins"),
        arguments: BlendMode.allCases
    )
    func `the twin of a blend mode agrees, within one where floats do`(mode: BlendMode) throws {
        for width in [1, 7, 8, 33] {
            let top = try Pictures.noise(width, 9, seed: 3)
            let bottom = try Pictures.noise(width, 9, seed: 4)
            for alpha in [1, 0.3, 0] {
                let results = try Convolution.Backend.allCases.map {
                    try composite(top, over: bottom, mode: mode, alpha: alpha, backend: $0)
                }
                let usesFloats =
                    [.colorDodge, .colorBurn, .softLight].contains(mode)
                    || (BlendMode.hue.rawValue...BlendMode.luminosity.rawValue)
                        .contains(mode.rawValue)
                let difference = Pictures.largestDifference(results[0], results[1])
                #expect(difference <= (usesFloats ? 1 : 0))
            }
        }
    }

    @Test(arguments: [BlendMode.hue, .saturation, .color, .luminosity])
    func `DRW-12: opaque colours take hue and luma apart within 1 of 255`(mode: BlendMode) throws {
        // Every pair of these, including greys, near greys and primaries.
        let levels: [UInt8] = [0, 1, 127, 128, 254, 255]
        var colours: [RGBA] = []
        for red in levels {
            for green in levels {
                for blue in levels { colours.append(RGBA(red: red, green: green, blue: blue)) }
            }
        }
        let count = colours.count
        let top = try Pictures.make(count, count) { x, _ in colours[x] }
        let bottom = try Pictures.make(count, count) { _, y in colours[y] }
        let result = try composite(top, over: bottom, mode: mode)
        var largest = 0.0
        for y in 0..<count {
            for x in 0..<count {
                let expected = BlendReference.channels(colours[x], colours[y], mode)
                let pixel = result[x, y]
                let found = [pixel.red, pixel.green, pixel.blue, pixel.alpha].map { Double($0) }
                largest = max(largest, zip(found, expected).map { abs($0 - $1) }.max() ?? 0)
            }
        }
        #expect(largest <= 1)
    }

    @Test func `DRW-12: raw values are the public constants`() {
        #expect(BlendMode.allCases.map(\.rawValue) == Array(0...27))
        #expect(BlendMode.luminosity.rawValue == 15)
        #expect(BlendMode.plusLighter.rawValue == 27)
    }

    @Test func `opacity scales the source`() throws {
        let white = try Pictures.constant(.white, 19, 3)
        let black = try Pictures.constant(.black, 19, 3)
        for mode in [BlendMode.normal, .screen] {
            let result = try composite(white, over: black, mode: mode, alpha: 0.4)
            #expect(abs(Int(result[18, 2].red) - 102) <= 1)
            #expect(result.isOpaque)
        }
        #expect(try composite(white, over: black, alpha: .nan) == black)
        #expect(try composite(white, over: black, alpha: 7) == white)
    }

    @Test(arguments: [(-2, -1), (7, 6), (3, 2), (100, 0), (Int.min, Int.max)])
    func `parts outside the backdrop are cut`(place: (Int, Int)) throws {
        let stamp = try Pictures.constant(RGBA(red: 255, green: 0, blue: 0), 4, 3)
        let canvas = try Pictures.constant(.white, 9, 8)
        let result = try composite(stamp, over: canvas, x: place.0, y: place.1)
        for y in 0..<8 {
            for x in 0..<9 {
                let isInside =
                    x >= place.0 && y >= place.1 && x - 4 < place.0 && y - 3 < place.1
                #expect((result[x, y].green == 0) == isInside)
            }
        }
    }

    @Test func `blending on a coloured canvas fills transparent parts`() throws {
        let picture = try Pictures.make(9, 2) { x, _ in x < 4 ? .clear : .white }
        let blue = RGBA(red: 0, green: 0, blue: 255)
        let result = try blend(picture, mode: .multiply, background: blue)
        #expect(result[0, 0] == blue)
        #expect(result[8, 1] == blue)
        #expect(result.isOpaque)
        #expect(try blend(picture, mode: .multiply) == picture)
    }
}
