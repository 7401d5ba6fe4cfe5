import Foundation
import Testing

@testable import KFPixels

struct ColorTests {
    typealias Pictures = TestPictures

    /// The controls on straight colours in doubles, step by step.
    private func reference(
        _ pixel: RGBA,
        _ b: Double,
        _ c: Double,
        _ s: Double,
        _ ev: Double
    )
        -> [Double]
    {
        let alpha = Double(pixel.alpha)
        guard alpha > 0 else { return [0, 0, 0, 0] }
        let straight = [pixel.red, pixel.green, pixel.blue].map { Double($0) / alpha }
        let luma = 0.2126 * straight[0] + 0.7152 * straight[1] + 0.0722 * straight[2]
        return straight.map { value in
            let saturated = luma + (value - luma) * s
            let result = max(0, (saturated - 0.5) * c + 0.5 + b)
            // Exposure multiplies the light.
            let light = pow(result, 2.2) * pow(2, ev)
            return min(1, pow(light, 1 / 2.2)) * alpha
        } + [alpha]
    }

    @Test(arguments: [
        SIMD4(0.1, 1.1, 0.8, 0), SIMD4(0, 1, 0, 1), SIMD4(-0.3, 2, 1.5, 0.5),
        SIMD4(0, 9, 1, -1), SIMD4(0, 0, 0, 0),
    ])
    func `DRW-10: controls agree with the formula within one`(set: SIMD4<Double>) throws {
        let picture = try Pictures.noise(29, 11)
        let result = try adjustColor(
            picture,
            brightness: set.x,
            contrast: set.y,
            saturation: set.z,
            exposure: set.w
        )
        for y in 0..<11 {
            for x in 0..<29 {
                let pixel = result[x, y]
                let found = [pixel.red, pixel.green, pixel.blue, pixel.alpha].map { Double($0) }
                let expected = reference(picture[x, y], set.x, set.y, set.z, set.w)
                #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 1 })
            }
        }
    }

    @Test(arguments: [-1.0, 0.7, 1])
    func `DRW-10: exposure doubles light, as sRGB's curve has it`(stops: Double) throws {
        let greys = try Pictures.make(256, 1, isOpaque: true) { x, _ in
            RGBA(red: UInt8(x), green: UInt8(x), blue: UInt8(x))
        }
        let result = try adjustColor(
            greys,
            brightness: 0,
            contrast: 1,
            saturation: 1,
            exposure: stops
        )
        for x in 0..<256 {
            let light = LinearLight.value(of: UInt8(x)) * pow(2, stops)
            let exact = Int(LinearLight.byte(light))
            // The difference comes from the straight piece of the curve near black.
            #expect(abs(Int(result[x, 0].red) - exact) <= (x < 64 ? 6 : 3), "grey \(x)")
        }
    }

    @Test func `PRC-12: no saturation gives equal channels`() throws {
        let picture = try Pictures.noise(13, 5)
        let result = try adjustColor(
            picture,
            brightness: 0,
            contrast: 1,
            saturation: 0,
            exposure: 0.7
        )
        for x in 0..<13 {
            let pixel = result[x, 4]
            #expect(pixel.red == pixel.green && pixel.green == pixel.blue)
            #expect(pixel.red <= pixel.alpha)
        }
    }

    @Test func `the identity changes nothing`() throws {
        let picture = try Pictures.noise(5, 5)
        let result = try adjustColor(
            picture,
            brightness: 0,
            contrast: 1,
            saturation: 1,
            exposure: 0
        )
        #expect(result == picture)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e30])
    func `numbers without meaning do not crash`(value: Double) throws {
        let picture = try Pictures.noise(9, 3)
        let result = try adjustColor(
            picture,
            brightness: value,
            contrast: value,
            saturation: value,
            exposure: value
        )
        #expect(result.size == picture.size)
    }

    @Test func `a matrix can exchange channels`() throws {
        let matrix = ColorMatrix(
            red: SIMD4(0, 0, 1, 0),
            green: SIMD4(1, 0, 0, 0),
            blue: SIMD4(0, 1, 0, 0)
        )
        let picture = try Pictures.noise(11, 2)
        let pixel = picture[10, 1]
        let result = try applyColorMatrix(picture, matrix)[10, 1]
        #expect(result.red == pixel.blue && result.green == pixel.red && result.blue == pixel.green)
    }

    @Test(.enabled(if: Convolution.backend == .twin, "this processor has no twins"))
    func `the twin of a colour matrix agrees within one`() throws {
        let matrices = [
            ColorMatrix.controls(saturation: 0, exposure: 0.7),
            ColorMatrix.controls(brightness: 0.1, contrast: 1.1, saturation: 0.8),
            ColorMatrix(
                red: SIMD4(-1, 0, 0, 1),
                green: SIMD4(.nan, 2, 0, 0),
                blue: SIMD4(1e9, -1e9, 0, 0)
            ),
        ]
        for (width, height) in [(1, 1), (7, 3), (8, 2), (33, 5)] {
            let picture = try Pictures.noise(width, height)
            for matrix in matrices {
                let swift = try applyColorMatrix(picture, matrix, backend: .portable)
                let twin = try applyColorMatrix(picture, matrix, backend: .twin)
                #expect(Pictures.largestDifference(swift, twin) <= 1)
            }
        }
    }
}
