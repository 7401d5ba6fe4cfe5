import Foundation
import Testing

@testable import KFPixels

struct ResampleTests {
    typealias Pictures = TestPictures

    // MARK: Against an independent float64 Lanczos

    /// Lanczos-3 over the whole bitmap in doubles, according to the definition.
    private func reference(_ source: Bitmap, to size: PixelSize) -> [Double] {
        func lanczos(_ x: Double) -> Double {
            if abs(x) < 1e-12 { return 1 }
            if abs(x) >= 3 { return 0 }
            return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
        }
        func taps(_ from: Int, _ to: Int) -> [[(Int, Double)]] {
            let scale = Double(from) / Double(to)
            let stretch = max(1, scale)
            return (0..<to).map { target in
                let centre = (Double(target) + 0.5) * scale - 0.5
                let all = (0..<from).map { ($0, lanczos((Double($0) - centre) / stretch)) }
                    .filter { $0.1 != 0 }
                let total = all.reduce(0) { $0 + $1.1 }
                return all.map { ($0.0, $0.1 / total) }
            }
        }
        let input = Pictures.channels(source)
        let across = taps(source.width, size.width)
        let down = taps(source.height, size.height)
        var middle = [Double](repeating: 0, count: size.width * source.height * 4)
        for y in 0..<source.height {
            for x in 0..<size.width {
                for channel in 0..<4 {
                    middle[(y * size.width + x) * 4 + channel] = across[x].reduce(0) {
                        $0 + $1.1 * input[(y * source.width + $1.0) * 4 + channel]
                    }
                }
            }
        }
        var result = [Double](repeating: 0, count: size.width * size.height * 4)
        for y in 0..<size.height {
            for column in 0..<(size.width * 4) {
                let value = down[y].reduce(0) { $0 + $1.1 * middle[$1.0 * size.width * 4 + column] }
                result[y * size.width * 4 + column] = min(255, max(0, value))
            }
        }
        return result
    }

    @Test(arguments: [
        (Pictures.size(120, 90), Pictures.size(40, 30), 55.0),
        (Pictures.size(121, 67), Pictures.size(50, 61), 55.0),
        (Pictures.size(60, 40), Pictures.size(120, 80), 55.0),
        (Pictures.size(31, 40), Pictures.size(97, 13), 55.0),
        // From a factor of four on, a box average comes first.
        (Pictures.size(200, 160), Pictures.size(20, 16), 45.0),
        (Pictures.size(203, 157), Pictures.size(31, 22), 45.0),
        (Pictures.size(310, 225), Pictures.size(8, 10), 45.0),
    ])
    func `Lanczos agrees with a float64 reference`(
        source: PixelSize,
        target: PixelSize,
        decibels: Double
    ) throws {
        let picture = try Pictures.photo(source.width, source.height)
        let result = try resample(picture, to: target)
        #expect(Pictures.psnr(result, reference(picture, to: target)) >= decibels)
    }

    @Test(arguments: Convolution.Backend.allCases)
    func `Lanczos agrees with the reference on premultiplied transparency`(
        backend: Convolution.Backend
    ) throws {
        guard backend == .portable || Convolution.backend == .twin else { return }
        let opaque = try Pictures.photo(120, 90)
        let picture = try Pictures.make(120, 90) { x, y in
            var colour = opaque[x, y]
            colour.alpha = UInt8(255 * x * y / (120 * 90))
            return colour
        }
        for size in [(40, 30), (51, 80), (240, 180), (12, 9)] {
            let target = Pictures.size(size.0, size.1)
            let result = try resample(picture, to: target, filter: .lanczos3, backend: backend)
            #expect(Pictures.psnr(result, reference(picture, to: target)) >= 45)
        }
    }

    // MARK: Invariants

    @Test(arguments: ResampleFilter.allCases)
    func `a constant bitmap stays constant`(filter: ResampleFilter) throws {
        for colour in [
            RGBA(red: 200, green: 1, blue: 77), RGBA(red: 9, green: 255, blue: 0, alpha: 90),
        ] {
            let picture = try Pictures.constant(colour, 37, 29)
            for size in [(7, 9), (80, 3), (1, 1), (3, 200), (36, 30)] {
                let target = Pictures.size(size.0, size.1)
                let result = try resample(picture, to: target, filter: filter)
                let expected = try Pictures.constant(colour, size.0, size.1)
                #expect(result == expected)
                #expect(result.isOpaque == picture.isOpaque)
            }
        }
    }

    @Test(arguments: [ResampleFilter.lanczos3, .bicubic])
    func `no colour exceeds its alpha after ringing`(filter: ResampleFilter) throws {
        let picture = try Pictures.make(40, 40) { x, y in
            (x / 5 + y / 5).isMultiple(of: 2) ? .white : .clear
        }
        for size in [(17, 23), (90, 77)] {
            let result = try resample(picture, to: Pictures.size(size.0, size.1), filter: filter)
            let channels = Pictures.channels(result)
            for pixel in stride(from: 0, to: channels.count, by: 4) {
                #expect(channels[pixel...pixel + 2].allSatisfy { $0 <= channels[pixel + 3] })
            }
        }
    }

    @Test(arguments: [ResampleFilter.lanczos3, .bicubic], Convolution.Backend.allCases)
    func `a flat colour stays the same at the edges of transparency`(
        filter: ResampleFilter,
        backend: Convolution.Backend
    ) throws {
        guard backend == .portable || Convolution.backend == .twin else { return }
        let colour = RGBA(red: 255, green: 200, blue: 10)
        let disc = try Pictures.make(64, 64) { x, y in
            let (across, down) = (Double(x) - 31.5, Double(y) - 31.5)
            return across * across + down * down < 24 * 24 ? colour : .clear
        }
        for side in [23, 40, 61, 90, 150, 531] {
            let result = try resample(
                disc,
                to: Pictures.size(side, side),
                filter: filter,
                backend: backend
            )
            let channels = Pictures.channels(result)
            // Of the premultiplied channels, and of the colours that a quarter opaque or more have. A
            // disc has two equal halves.
            var (worst, straight) = (0.0, 0.0)
            for pixel in stride(from: 0, to: channels.count / 2, by: 4) {
                let alpha = channels[pixel + 3]
                for (channel, wanted) in [(0, 255.0), (1, 200), (2, 10)] {
                    let difference = abs(channels[pixel + channel] - wanted * alpha / 255)
                    worst = max(worst, difference)
                    if alpha >= 64 { straight = max(straight, difference * 255 / alpha) }
                }
            }
            // Half a level is what rounding to 8 bits costs.
            #expect(worst <= 0.55, "\(side)")
            #expect(straight.rounded() <= 2, "\(side)")
        }
    }

    @Test(arguments: ResampleFilter.allCases)
    func `a transparent border leaves no dark fringe`(filter: ResampleFilter) throws {
        // White that fades to transparent black: straight colours must stay white.
        let picture = try Pictures.make(60, 60) { x, y in
            (20..<40).contains(x) && (20..<40).contains(y) ? .white : .clear
        }
        let result = try resample(picture, to: Pictures.size(23, 23), filter: filter)
        let channels = Pictures.channels(result)
        for pixel in stride(from: 0, to: channels.count, by: 4) where channels[pixel + 3] > 0 {
            #expect(abs(channels[pixel] - channels[pixel + 3]) <= 1)
        }
    }

    @Test(arguments: [(1, 1, 5, 7), (1, 50, 50, 1), (2, 3, 1, 1), (300, 1, 2, 2), (5, 4000, 3, 2)])
    func `degenerate sizes give the asked size`(from: (Int, Int, Int, Int)) throws {
        let picture = try Pictures.photo(from.0, from.1)
        for filter in ResampleFilter.allCases {
            let target = Pictures.size(from.2, from.3)
            #expect(try resample(picture, to: target, filter: filter).size == target)
        }
    }

    @Test func `sizes out of range are refused`() throws {
        let picture = try Pictures.photo(4, 4)
        for size in [Pictures.size(0, 3), Pictures.size(3, -1), Pictures.size(Int.min, 2)] {
            #expect(throws: PixelError.emptySize(size)) { try resample(picture, to: size) }
        }
        for size in [Pictures.size(65_536, 1), Pictures.size(65_535, 65_535)] {
            #expect(throws: PixelError.tooLarge(size)) { try resample(picture, to: size) }
        }
    }

    @Test func `a bitmap of the asked size is returned as it is`() throws {
        let picture = try Pictures.noise(9, 9)
        #expect(try resample(picture, to: picture.size).storage === picture.storage)
    }

    @Test func `an opaque bitmap stays opaque at every pixel`() throws {
        let result = try resample(Pictures.photo(55, 44), to: Pictures.size(20, 70))
        let channels = Pictures.channels(result)
        #expect(stride(from: 3, to: channels.count, by: 4).allSatisfy { channels[$0] == 255 })
    }

    @Test func `row padding does not matter`() throws {
        let colour: (Int, Int) -> RGBA = { RGBA(red: UInt8($0 * 7), green: UInt8($1 * 9), blue: 3) }
        let plain = try Pictures.make(30, 20, isOpaque: true, colour)
        let padded = try Pictures.make(30, 20, isOpaque: true, padding: 36, colour)
        let size = Pictures.size(11, 13)
        #expect(try resample(plain, to: size) == resample(padded, to: size))
    }

    @Test func `bands give the same bitmap as one pass`() throws {
        // Enough work for more than two bands, compared with rows pushed through a single band.
        let picture = try Pictures.photo(900, 700)
        let size = Pictures.size(300, 250)
        let resampler = try RowResampler(source: picture.size, target: size, isOpaque: true)
        picture.withPixels { pixels, stride in
            for y in 0..<picture.height { resampler.push(pixels + y * stride) }
        }
        #expect(try resample(picture, to: size) == resampler.finish())
    }
}
