import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Animations that GIF stores as differences between frames.
struct GIFAnimationTests {
    private static let size = PixelSize(width: 61, height: 40)

    private static func bitmap(
        isOpaque: Bool = true,
        _ color: (_ x: Int, _ y: Int) -> RGBA
    ) throws -> Bitmap {
        try Bitmap(size, isOpaque: isOpaque, color: color)
    }

    private static func file(of frames: [Bitmap], delay: Double = 0.2) throws -> Data {
        try Codecs.encodeAnimation(
            of: size,
            frameCount: frames.count,
            loopCount: 0,
            as: .gif
        ) { AnimationFrame(bitmap: frames[$0], delay: delay) }
    }

    /// Checks that a file shows `frames` exactly.
    private static func expect(_ file: Data, shows frames: [Bitmap]) throws {
        let decoder = try FrameDecoder(file)
        try #require(decoder.frameCount == frames.count)
        for (index, frame) in frames.enumerated() {
            #expect(try decoder.frame(at: index) == frame, "frame \(index)")
        }
    }

    /// The rectangles of the stored frames, and whether they have a palette.
    private static func images(of file: Data) throws -> [(rect: PixelRect, hasPalette: Bool)] {
        let bytes = [UInt8](file)
        let header = try bytes.withUnsafeBytes { bytes in
            try GIFHeader(parsing: bytes, limits: .default)
        }
        // The flags follow the separator and four numbers of two bytes.
        return header.frames.map { ($0.rect, bytes[$0.offset + 9] & 0x80 != 0) }
    }

    /// A colour of its own for every pixel.
    private static func pattern(_ x: Int, _ y: Int) -> RGBA {
        RGBA(red: UInt8(x * 4), green: UInt8(y * 6), blue: UInt8((x * y) % 251))
    }

    private static func isInside(_ x: Int, _ y: Int, squareAt left: Int) -> Bool {
        (left..<left + 8).contains(x) && (10..<18).contains(y)
    }

    @Test func `equal frames take a few bytes each`() throws {
        let frame = try Self.bitmap(Self.pattern)
        let one = try Self.file(of: [frame]).count
        let file = try Self.file(of: Array(repeating: frame, count: 10))
        #expect(file.count < one + 9 * 40 + 40)
        let decoder = try FrameDecoder(file)
        #expect(decoder.frameCount == 10)
        let first = try decoder.frame(at: 0)
        for index in 1..<10 { #expect(try decoder.frame(at: index) == first) }
    }

    @Test func `a moving object is stored alone`() throws {
        let frames = try (0..<10).map { step in
            try Self.bitmap { x, y in
                Self.isInside(x, y, squareAt: step * 5)
                    ? RGBA(red: 200, green: 9, blue: 9)
                    : RGBA(red: UInt8(x * 4 / 16 * 16), green: UInt8(y / 4 * 16), blue: 30)
            }
        }
        let file = try Self.file(of: frames)
        try Self.expect(file, shows: frames)
        // Its old and its new place.
        let change = PixelSize(width: 13, height: 8)
        #expect(try Self.images(of: file).dropFirst().allSatisfy { $0.rect.size == change })
    }

    @Test func `frames of the first one's colours have no palette`() throws {
        let frames = try (0..<2).map { step in
            try Self.bitmap { x, y in
                let number = UInt8((x / 4 + y + step) % 32)
                return RGBA(red: number, green: number, blue: 255 - number)
            }
        }
        let file = try Self.file(of: frames)
        try Self.expect(file, shows: frames)
        let images = try Self.images(of: file)
        #expect(images.map(\.hasPalette) == [false, false])
    }

    @Test func `pixels that vanish are cleared with what is around them`() throws {
        let frames = try (0..<6).map { step in
            try Self.bitmap(isOpaque: false) { x, y in
                if Self.isInside(x, y, squareAt: step * 9) {
                    return RGBA(red: 200, green: UInt8(x), blue: 9)
                }
                return y < 6 ? RGBA(red: 7, green: 7, blue: 7) : .clear
            }
        }
        let file = try Self.file(of: frames)
        try Self.expect(file, shows: frames)
        let images = try Self.images(of: file)
        #expect(images[0].rect == PixelRect(size: Self.size))
        #expect(images[1].rect == PixelRect(x: 0, y: 0, width: 61, height: 18))
        #expect(images[5].rect == PixelRect(x: 0, y: 0, width: 61, height: 18))
    }

    @Test func `a pixel that keeps its colour keeps its dither`() throws {
        let frames = try (0..<4).map { step in
            try Self.bitmap { x, y in
                // Many new colours in each frame, on the right.
                x < 30 ? Self.pattern(x, y) : Self.pattern(x, (y + 7 * step) % Self.size.height)
            }
        }
        let decoder = try FrameDecoder(Self.file(of: frames))
        let shown = try (0..<4).map { try decoder.frame(at: $0) }
        for (frame, original) in zip(shown, frames) {
            for y in 0..<Self.size.height {
                for x in 0..<Self.size.width where x < 30 {
                    #expect(frame[x, y] == shown[0][x, y])
                }
            }
            #expect(frame.meanDifference(from: original) < 7.5)
        }
    }

    @Test func `256 colours are kept, also beside pixels that stay`() throws {
        let frames = try (0..<3).map { step in
            try Self.bitmap { x, y in
                let number = x + y * Self.size.width
                // A few pixels in the middle stay.
                if (1000..<1004).contains(number) { return RGBA(red: 0, green: 5, blue: 255) }
                let value = UInt8((number + step) % 256)
                return RGBA(red: value, green: 5, blue: 255 - value)
            }
        }
        try Self.expect(Self.file(of: frames), shows: frames)
    }

    @Test(arguments: 0..<40)
    func `random animations survive`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let colorCount = [2, 3, 16, 200][Int(seed % 4)]
        var pixels = [RGBA](repeating: .clear, count: Self.size.width * Self.size.height)
        var frames: [Bitmap] = []
        for _ in 0..<8 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let left = Int.random(in: 0..<Self.size.width, using: &random)
                let top = Int.random(in: 0..<Self.size.height, using: &random)
                let right = Int.random(in: left..<Self.size.width, using: &random)
                let bottom = Int.random(in: top..<Self.size.height, using: &random)
                let isNoise = Bool.random(using: &random)
                let isErasing = Int.random(in: 0..<3, using: &random) == 0
                var number = UInt8.random(in: 0..<UInt8(colorCount), using: &random)
                for y in top...bottom {
                    for x in left...right {
                        if isNoise { number = .random(in: 0..<UInt8(colorCount), using: &random) }
                        pixels[y * Self.size.width + x] =
                            isErasing && (!isNoise || number % 2 == 0)
                            ? .clear : RGBA(red: number, green: 255 - number, blue: 3)
                    }
                }
            }
            let current = pixels
            frames.append(
                try Self.bitmap(isOpaque: false) { x, y in current[y * Self.size.width + x] }
            )
        }
        try Self.expect(Self.file(of: frames), shows: frames)
    }

    @Test func `GIF-13: a longer frame makes up for one that is shown for too long`() throws {
        let frames = try (0..<8).map { number in
            try Self.bitmap { _, _ in RGBA(red: UInt8(number * 30), green: 0, blue: 0, alpha: 255) }
        }
        let file = try Codecs.encodeAnimation(
            of: Self.size,
            frameCount: frames.count,
            loopCount: 0,
            as: .gif
        ) { AnimationFrame(bitmap: frames[$0], delay: $0 % 2 == 0 ? 0.012 : 0.1) }
        let delays = try FrameDecoder(file).delays.map { Int(($0 * 100).rounded()) }
        #expect(delays.reduce(0, +) == 45)
        #expect(stride(from: 0, to: 8, by: 2).allSatisfy { delays[$0] == 2 })
    }
}
