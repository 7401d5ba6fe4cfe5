import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Animations whose unchanged pixels may be stored as their colour or as the transparent one.
@Suite(.timeLimit(.minutes(1)))
struct GIFCompressorTests {
    private static func file(
        of frames: [Bitmap],
        collectsColors: Bool = true
    ) throws -> Data {
        try GIFEncoder(
            size: frames[0].size,
            frameCount: frames.count,
            loopCount: 0,
            options: EncodeOptions(),
            collectsColors: collectsColors
        )
        .encode { AnimationFrame(bitmap: frames[$0], delay: 0.1) }
    }

    private static func expect(_ file: Data, shows frames: [Bitmap]) throws {
        let decoder = try FrameDecoder(file)
        try #require(decoder.frameCount == frames.count)
        for (index, frame) in frames.enumerated() {
            #expect(try decoder.frame(at: index) == frame, "frame \(index)")
        }
    }

    /// Which of the stored frames have a palette.
    private static func palettes(of file: Data) throws -> [Bool] {
        let bytes = [UInt8](file)
        let header = try bytes.withUnsafeBytes { bytes in
            try GIFHeader(parsing: bytes, limits: .default)
        }
        // The flags follow the separator and four numbers of two bytes.
        return header.frames.map { bytes[$0.offset + 9] & 0x80 != 0 }
    }

    /// Frames of noise: each changes a share of the pixels before it.
    private static func noise(
        of size: PixelSize,
        colorCount: Int,
        changing share: Double,
        isOpaque: Bool = true,
        seed: UInt64
    ) throws -> [Bitmap] {
        var random = SplitMix64(seed: seed)
        func color() -> RGBA {
            let number = Int.random(in: 0..<colorCount, using: &random)
            if number == 0, !isOpaque { return .clear }
            return RGBA(red: UInt8(number), green: UInt8(number * 7 % 256), blue: 9)
        }
        var pixels = (0..<size.width * size.height).map { _ in color() }
        return try (0..<3).map { step in
            if step > 0 {
                for index in pixels.indices
                where Double.random(in: 0..<1, using: &random) < share {
                    pixels[index] = color()
                }
            }
            return try Bitmap(size, isOpaque: isOpaque) { x, y in pixels[y * size.width + x] }
        }
    }

    @Test(arguments: [2, 5, 16, 17, 256], [0.02, 1])
    func `noise is shown exactly`(colorCount: Int, share: Double) throws {
        // More strings than a table holds.
        let size = PixelSize(width: 90, height: 80)
        for isOpaque in [true, false] {
            let frames = try Self.noise(
                of: size,
                colorCount: colorCount,
                changing: share,
                isOpaque: isOpaque,
                seed: UInt64(colorCount)
            )
            try Self.expect(Self.file(of: frames), shows: frames)
            try Self.expect(Self.file(of: frames, collectsColors: false), shows: frames)
        }
    }

    @Test func `frames of any size up to twenty pixels are shown exactly`() throws {
        for count in 1...20 {
            for size in [
                PixelSize(width: count, height: 1), PixelSize(width: 1, height: count),
                PixelSize(width: count, height: 3),
            ] {
                let frames = try Self.noise(
                    of: size,
                    colorCount: 5,
                    changing: 0.3,
                    seed: UInt64(count)
                )
                try Self.expect(Self.file(of: frames), shows: frames)
            }
        }
    }

    /// A long run makes the longest strings; they end where the number of bits grows, too.
    @Test func `runs of any length are shown exactly`() throws {
        for width in [1, 2, 3, 7, 8, 9, 127, 4094, 4095, 4096, 4097, 30_000] {
            let size = PixelSize(width: width, height: 1)
            let frames = try (0..<2).map { step in
                try Bitmap(size, isOpaque: true) { x, _ in
                    RGBA(red: x == width / 2 && step == 1 ? 9 : 200, green: 0, blue: 0)
                }
            }
            try Self.expect(Self.file(of: frames), shows: frames)
        }
    }

    @Test func `an animation of few colours in all has one palette`() throws {
        // Each frame brings a colour of its own to forty others.
        let frames = try (0..<20).map { step in
            try Bitmap(PixelSize(width: 60, height: 40), isOpaque: true) { x, y in
                if y == 39 { return RGBA(red: UInt8(step * 9), green: 40, blue: 90) }
                let shade = UInt8((x + step) * y % 40)
                return RGBA(red: 245, green: 200 + shade, blue: shade)
            }
        }
        let file = try Self.file(of: frames)
        try Self.expect(file, shows: frames)
        #expect(try Self.palettes(of: file) == Array(repeating: false, count: 20))
        let separate = try Self.file(of: frames, collectsColors: false)
        #expect(file.count < separate.count)
    }

    @Test func `more colours in all than a palette has are kept by several palettes`() throws {
        let frames = try (0..<3).map { step in
            try Bitmap(PixelSize(width: 16, height: 10), isOpaque: true) { x, y in
                RGBA(red: UInt8(y * 16 + x), green: UInt8(step * 50), blue: 0)
            }
        }
        let file = try Self.file(of: frames)
        try Self.expect(file, shows: frames)
        #expect(try Self.palettes(of: file) == [false, true, true])
    }
}
