import Foundation
import Testing

@testable import KFPixels

struct BlurTests {
    typealias Pictures = TestPictures

    /// A true Gaussian in doubles with extended edges.
    private func gaussian(_ source: Bitmap, deviation: Double) -> [Double] {
        let reach = Int((deviation * 4).rounded(.up))
        let raw = (-reach...reach).map { exp(-Double($0 * $0) / (2 * deviation * deviation)) }
        let total = raw.reduce(0, +)
        let input = Pictures.channels(source)
        func pass(_ values: [Double], step: (Int, Int)) -> [Double] {
            var result = values
            for y in 0..<source.height {
                for x in 0..<source.width {
                    for channel in 0..<4 {
                        var sum = 0.0
                        for (index, weight) in raw.enumerated() {
                            let shift = index - reach
                            let column = max(0, min(source.width - 1, x + shift * step.0))
                            let row = max(0, min(source.height - 1, y + shift * step.1))
                            sum += values[(row * source.width + column) * 4 + channel] * weight
                        }
                        result[(y * source.width + x) * 4 + channel] = sum / total
                    }
                }
            }
            return result
        }
        return pass(pass(input, step: (1, 0)), step: (0, 1))
    }

    @Test(arguments: [2.0, 3.5, 6.0])
    func `DRW-7: three passes come close to a true Gaussian`(radius: Double) throws {
        let picture = try Pictures.photo(70, 50)
        let result = try blur(picture, radius: radius)
        #expect(Pictures.psnr(result, gaussian(picture, deviation: radius)) >= 38)
    }

    /// Box passes according to the definition, each rounded to bytes.
    private func boxes(_ source: Bitmap, size: Int, passes: Int) -> [Double] {
        var values = Pictures.channels(source)
        let reach = size / 2
        for step in [(0, 1), (1, 0)] {
            for _ in 0..<passes {
                let before = values
                for y in 0..<source.height {
                    for x in 0..<source.width {
                        for channel in 0..<4 {
                            var sum = 0.0
                            for shift in -reach...reach {
                                let column = max(0, min(source.width - 1, x + shift * step.0))
                                let row = max(0, min(source.height - 1, y + shift * step.1))
                                sum += before[(row * source.width + column) * 4 + channel]
                            }
                            let place = (y * source.width + x) * 4 + channel
                            values[place] = (sum / Double(size)).rounded()
                        }
                    }
                }
            }
        }
        return values
    }

    @Test(arguments: [(0.3, 1), (1.0, 2), (1.5, 3), (2.0, 3)])
    func `DRW-7: the radius says how many passes, and all of them count`(
        radius: Double,
        passes: Int
    ) throws {
        // A radius of 2 gives floor(2 · 3 · √2π / 4 + 0.5) = 4, rounded up to an odd number: 5.
        let picture = try Pictures.noise(21, 19)
        let expected = boxes(picture, size: 5, passes: passes)
        let channels = Pictures.channels(try blur(picture, radius: radius))
        #expect(zip(channels, expected).allSatisfy { abs($0 - $1) <= 1 })
    }

    @Test(
        .enabled(if: Convolution.backend == .twin, "this processor has no twins"),
        arguments: [3, 5, 19, 61, 127, 129]
    )
    func `the twin gives the same pixels`(size: Int) throws {
        for (width, height) in [(33, 18), (1, 1), (16, 3), (5, 70), (70, 1), (17, 64)] {
            let picture = try Pictures.noise(width, height)
            let swift = try boxBlur(picture, size: size, passes: 3, backend: .portable)
            let twin = try boxBlur(picture, size: size, passes: 3, backend: .twin)
            #expect(swift == twin, "\(width) × \(height)")
        }
    }

    @Test(arguments: [127, 129, 301])
    func `wide boxes average as narrow ones do`(size: Int) throws {
        let picture = try Pictures.noise(9, 12)
        let expected = boxes(picture, size: size, passes: 1)
        let channels = Pictures.channels(try boxBlur(picture, size: size, passes: 1))
        #expect(zip(channels, expected).allSatisfy { abs($0 - $1) <= 1 })
    }

    @Test(arguments: [0.1, 2, 10, 60, 200])
    func `a constant bitmap stays constant`(radius: Double) throws {
        let picture = try Pictures.constant(RGBA(red: 254, green: 3, blue: 99, alpha: 201), 33, 18)
        #expect(try blur(picture, radius: radius) == picture)
    }

    @Test func `a transparent border leaves no dark fringe`() throws {
        let picture = try Pictures.make(40, 40) { x, _ in x < 20 ? .white : .clear }
        let channels = Pictures.channels(try blur(picture, radius: 4))
        for pixel in stride(from: 0, to: channels.count, by: 4) {
            #expect(channels[pixel] == channels[pixel + 3])
        }
    }

    @Test(arguments: [-5, 0, .nan, .infinity, 1e300])
    func `absurd radii are clamped`(radius: Double) throws {
        let picture = try Pictures.photo(5, 3)
        #expect(try blur(picture, radius: radius).size == picture.size)
    }

    @Test func `a single pixel does not change`() throws {
        let picture = try Pictures.noise(1, 1)
        #expect(try blur(picture, radius: 10) == picture)
    }
}
