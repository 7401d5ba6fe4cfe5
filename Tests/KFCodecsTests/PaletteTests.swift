import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// PNG and GIF with palettes.
struct PaletteTests {
    /// Above the area up to which files with and without a palette are compared.
    private static let size = PixelSize(width: 301, height: 200)

    private static func bitmap(
        _ size: PixelSize = size,
        isOpaque: Bool = true,
        _ color: (_ x: Int, _ y: Int) -> RGBA
    ) throws -> Bitmap {
        try Bitmap(size, isOpaque: isOpaque, color: color)
    }

    /// Noise of a wide range of colours and alphas, and flat areas of each kind.
    private static func collage(seed: UInt64 = 5) throws -> Bitmap {
        var random = SplitMix64(seed: seed)
        return try bitmap(isOpaque: false) { x, y in
            let bits = random.next()
            func channel(_ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: bits >> shift) }
            let alpha: UInt8 = x < 100 ? 255 : x < 200 ? channel(40) : 0
            if y < 50 { return RGBA(red: 250, green: 255, blue: 251, alpha: alpha) }
            return RGBA(red: channel(0), green: channel(8), blue: channel(16), alpha: alpha)
        }
    }

    private static func colors(of bitmap: Bitmap) -> Set<RGBA> {
        var colors: Set<RGBA> = []
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width { colors.insert(bitmap[x, y]) }
        }
        return colors
    }

    /// The points of a bitmap that are as `isIncluded` says.
    private static func points(
        of bitmap: Bitmap,
        _ isIncluded: (_ x: Int, _ y: Int) -> Bool
    ) -> [SIMD2<Int>] {
        (0..<bitmap.height).flatMap { y in
            (0..<bitmap.width).filter { isIncluded($0, y) }.map { SIMD2($0, y) }
        }
    }

    /// The colour type and the bits per channel of a PNG.
    private static func kind(of file: some Sequence<UInt8>) -> (type: UInt8, bits: UInt8) {
        let bytes = Array(file)
        return (bytes[25], bytes[24])
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (5, 4), (16, 4), (17, 8), (256, 8)])
    func `few colours are kept exactly in a palette of few bits`(
        count: Int,
        bits: UInt8
    ) throws {
        for isOpaque in [true, false] {
            // Noise: smooth images may be smaller without a palette.
            var random = SplitMix64(seed: 3)
            let bitmap = try Self.bitmap(isOpaque: isOpaque) { _, _ in
                let number = UInt8(random.next() % UInt64(count))
                let alpha = isOpaque ? 255 : number &* 31
                return RGBA(red: number, green: 3, blue: 255 - number, alpha: alpha)
            }
            let file = try Codecs.encode(bitmap, as: .png)
            #expect(Self.kind(of: file) == (3, bits))
            let again = try Codecs.decode(file)
            #expect(again.bitmap == bitmap)
            #expect(again.bitmap.isOpaque == (bitmap.hasOnlyOpaquePixels))
        }
    }

    @Test(arguments: [(16, 3), (17, 0), (256, 0)])
    func `grey has a palette only where that saves bits`(count: Int, type: UInt8) throws {
        let bitmap = try Self.bitmap { x, y in
            let level = UInt8((x + y) % count)
            return RGBA(red: level, green: level, blue: level, alpha: 255)
        }
        let file = try Codecs.encode(bitmap, as: .png)
        #expect(Self.kind(of: file).type == type)
        #expect(try Codecs.decode(file).bitmap == bitmap)
    }

    @Test func `a palette is left out where it takes more than it saves`() throws {
        let size = PixelSize(width: 16, height: 16)
        let icon = try Self.bitmap(size, isOpaque: false) { x, y in
            RGBA(red: 0, green: 0, blue: 0, alpha: UInt8(x * 16 + y))
        }
        let file = try Codecs.encode(icon, as: .png)
        #expect(Self.kind(of: file) == (4, 8))
        #expect(try Codecs.decode(file).bitmap == icon)
    }

    @Test func `smooth images of few colours have a palette only where that saves bytes`() throws {
        func ball(_ x: Int, _ y: Int) -> RGBA {
            let (dx, dy) = (Double(x) - 150, Double(y) - 100)
            let level = UInt8(max(0, 255 - (dx * dx + dy * dy).squareRoot()))
            return RGBA(red: level, green: 255 - level, blue: 9)
        }
        let images = [
            try Self.bitmap { x, _ in RGBA(red: UInt8(x * 255 / 300), green: 7, blue: 9) },
            try Self.bitmap { x, y in RGBA(red: UInt8((x + y) / 2), green: 90, blue: 9) },
            try Self.bitmap { ball($0, $1) },
            try Self.bitmap { x, y in
                (x / 20 + y / 15) % 2 == 0 ? ball(x, y) : RGBA(red: 250, green: 1, blue: 3)
            },
        ]
        var types: Set<UInt8> = []
        for bitmap in images {
            let file = try Codecs.encode(bitmap, as: .png)
            // Compares all kinds of files.
            let options = EncodeOptions(maxColorCount: 256)
            let smallest = try Codecs.encode(bitmap, as: .png, options: options)
            #expect(file.count == smallest.count)
            #expect(try Codecs.decode(file).bitmap == bitmap)
            types.insert(Self.kind(of: file).type)
        }
        #expect(types == [2, 3])
    }

    @Test func `257 colours are stored without a palette`() throws {
        let bitmap = try Self.bitmap { x, y in
            let number = (x + 301 * y) % 257
            return RGBA(red: UInt8(number % 256), green: UInt8(number / 256), blue: 0)
        }
        let file = try Codecs.encode(bitmap, as: .png)
        #expect(Self.kind(of: file) == (2, 8))
        #expect(try Codecs.decode(file).bitmap == bitmap)
    }

    @Test(arguments: [-1, 2, 3, 4, 17, 1000])
    func `a reduced PNG has no more colours, and its pixels stay opaque or transparent`(
        count: Int
    ) throws {
        let bitmap = try Self.collage()
        let file = try Codecs.encode(bitmap, as: .png, options: .init(maxColorCount: count))
        let reduced = try Codecs.decode(file).bitmap
        #expect(Self.kind(of: file).type == 3)
        #expect(Self.colors(of: reduced).count <= max(2, min(256, count)))
        let wrong = Self.points(of: bitmap) { x, y in
            let (before, after) = (bitmap[x, y].alpha, reduced[x, y].alpha)
            if before == 0 || before == 255 { return after != before }
            return count >= 4 && (after == 0 || after == 255)
        }
        #expect(wrong.isEmpty)
    }

    @Test func `256 colours come close to a photograph, and white stays white`() throws {
        let photo = try resample(
            Codecs.decode(Fixture(name: "444.jpg").data).bitmap,
            to: Self.size
        )
        let bitmap = try Self.bitmap { x, y in y < 40 ? .white : photo[x, y] }
        let options = EncodeOptions(maxColorCount: 256)
        let file = try Codecs.encode(bitmap, as: .png, options: options)
        let reduced = try Codecs.decode(file).bitmap
        let whole = try Codecs.encode(bitmap, as: .png)
        #expect(file.count < whole.count * 2 / 3)
        var sum = 0
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width {
                sum += abs(Int(bitmap[x, y].green) - Int(reduced[x, y].green))
            }
        }
        #expect(Self.points(of: bitmap) { x, y in y < 39 && reduced[x, y] != .white }.isEmpty)
        #expect(sum < 5 * Self.size.byteCount(bytesPerPixel: 1))
    }

    /// The peak signal-to-noise ratio of two opaque bitmaps in decibels.
    private static func likeness(_ one: Bitmap, _ other: Bitmap) -> Double {
        var sum = 0
        for y in 0..<one.height {
            for x in 0..<one.width {
                let pair = (one[x, y], other[x, y])
                for channel in [\RGBA.red, \.green, \.blue] {
                    let difference = Int(pair.0[keyPath: channel]) - Int(pair.1[keyPath: channel])
                    sum += difference * difference
                }
            }
        }
        let count = Double(one.size.byteCount(bytesPerPixel: 3))
        return 10 * log10(65_025 * count / Double(sum))
    }

    @Test(arguments: [(16, 21.0), (256, 31.8)])
    func `a palette is that of the least error`(count: Int, decibels: Double) throws {
        let file = try Codecs.decode(Fixture(name: "444.jpg").data)
        let photo = try resample(file.bitmap, to: Self.size)
        let reduced = try Codecs.encode(photo, as: .png, options: .init(maxColorCount: count))
        #expect(Self.likeness(photo, try Codecs.decode(reduced).bitmap) > decibels)
    }

    @Test func `flat parts stay flat, and steps of a gradient stay apart`() throws {
        var random = SplitMix64(seed: 1)
        let screen = try Self.bitmap { x, y in
            if x > 150, y > 100 { return RGBA(red: 246, green: 245, blue: 244) }
            // Letters in many shades.
            if x < 40 { return RGBA(red: UInt8(random.next() % 256), green: 90, blue: UInt8(y)) }
            return RGBA(red: UInt8(40 + y / 5), green: UInt8(70 + y / 3), blue: UInt8(110 + y / 4))
        }
        let reduced = try Codecs.decode(
            Codecs.encode(screen, as: .png, options: .init(maxColorCount: 256))
        ).bitmap
        let wrong = Self.points(of: screen) { x, y in
            let (before, after) = (screen[x, y], reduced[x, y])
            let difference = max(
                abs(Int(before.red) - Int(after.red)),
                abs(Int(before.green) - Int(after.green)),
                abs(Int(before.blue) - Int(after.blue))
            )
            return x >= 42 && difference > (x > 152 && y > 101 ? 0 : 3)
        }
        #expect(wrong.isEmpty)
    }

    @Test func `an image that is smaller with all its colours keeps them`() throws {
        let gradient = try Self.bitmap { x, y in
            RGBA(red: UInt8(x * 255 / 301), green: UInt8(y), blue: UInt8(x / 2))
        }
        let options = EncodeOptions(maxColorCount: 64)
        let file = try Codecs.encode(gradient, as: .png, options: options)
        #expect(try Codecs.decode(file).bitmap == gradient)
    }

    @Test(arguments: [2, 16, 100])
    func `fewer colours never make a larger file than all of them`(count: Int) throws {
        // Broad stripes of 150 colours: a palette of all compresses well, diffused errors do not.
        let stripes = try Self.bitmap { x, _ in
            let color = UInt8(x / 2)
            return RGBA(red: color, green: 200 - color, blue: 90)
        }
        let all = try Codecs.encode(stripes, as: .png)
        let fewer = try Codecs.encode(stripes, as: .png, options: .init(maxColorCount: count))
        #expect(fewer.count <= all.count)
    }

    @Test func `an image without a visible pixel is reduced`() throws {
        let size = PixelSize(width: 1, height: 1)
        for alpha: UInt8 in [0, 1, 128, 254, 255] {
            let pixel = try Self.bitmap(size, isOpaque: false) { _, _ in
                RGBA(red: 9, green: 200, blue: 30, alpha: alpha)
            }
            let options = EncodeOptions(maxColorCount: 4)
            let file = try Codecs.encode(pixel, as: .png, options: options)
            #expect(try Codecs.decode(file).bitmap == pixel)
        }
    }

    @Test func `GIF keeps 256 colours exactly, one of them transparent`() throws {
        for isOpaque in [true, false] {
            let bitmap = try Self.bitmap(isOpaque: isOpaque) { x, y in
                let number = UInt8((x + 7 * y) % 256)
                guard isOpaque || number > 0 else { return .clear }
                return RGBA(red: number, green: 3, blue: 255 - number)
            }
            #expect(try Codecs.decode(Codecs.encode(bitmap, as: .gif)).bitmap == bitmap)
        }
    }
}
