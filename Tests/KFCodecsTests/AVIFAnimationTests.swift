import FoundationEssentials
import KFPixels
import Testing

@testable import KFCodecs

/// Animations that are written as AVIF.
struct AVIFAnimationTests {
    /// A gradient with a dark square that moves, and with transparent pixels below it if asked.
    private static func bitmap(_ index: Int, isOpaque: Bool = true) throws -> Bitmap {
        try Bitmap(PixelSize(width: 64, height: 48), isOpaque: isOpaque) { x, y in
            let isMarked = x / 8 == index % 8
            if !isOpaque, y >= 32, isMarked { return .clear }
            if y < 16, isMarked { return RGBA(red: 20, green: 30, blue: 40) }
            return RGBA(red: UInt8(x * 3), green: UInt8(y * 4), blue: 120)
        }
    }

    @Test(arguments: [true, false])
    func `an animation keeps its frames, times and pixels`(isOpaque: Bool) throws {
        // Hundredths as in a GIF, a frame of a film, and the shortest.
        let bitmaps = try (0..<6).map { try Self.bitmap($0, isOpaque: isOpaque) }
        let delays = [0.04, 1.0 / 12, 1.0 / 24, 0.5, 1001.0 / 30_000, 2]
        let file = try Codecs.encodeAnimation(
            of: PixelSize(width: 64, height: 48),
            frameCount: delays.count,
            loopCount: 0,
            as: .avif,
            isOpaque: isOpaque,
            options: EncodeOptions(quality: 0.95)
        ) { index in
            AnimationFrame(bitmap: bitmaps[index], delay: delays[index])
        }
        let info = try Codecs.inspect(file)
        #expect(info.format == .avif)
        #expect(info.frameCount == delays.count)
        #expect(info.loopCount == 0)
        #expect(info.hasAlpha == !isOpaque)
        let reader = try FrameDecoder(file)
        for (index, delay) in delays.enumerated() {
            #expect(abs(reader.delays[index] - delay) < 0.000_02)
            let mean = try bitmaps[index].meanDifference(from: reader.frame(at: index))
            #expect(mean < 5, "\(index): \(mean)")
        }
        // In any order, because a frame is stored as what differs from others.
        #expect(try reader.frame(at: 1) == FrameDecoder(file).frame(at: 1))
    }

    @Test func `an animation does not say when it was made`() throws {
        let bitmaps = try (0..<2).map { try Self.bitmap($0) }
        let file = try Codecs.encodeAnimation(
            of: PixelSize(width: 64, height: 48),
            frameCount: 2,
            loopCount: 0,
            as: .avif,
            options: EncodeOptions(quality: 0.5)
        ) { index in
            AnimationFrame(bitmap: bitmaps[index], delay: 0.1)
        }
        for name in ["mvhd", "tkhd", "mdhd"] {
            let times = try #require(file.firstRange(of: Data(name.utf8))).upperBound + 4
            #expect(file[times..<times + 16].allSatisfy { $0 == 0 }, "\(name)")
        }
        #expect(try FrameDecoder(file).delays.count == 2)
    }

    @Test func `times do not add up rounding errors`() throws {
        let bitmaps = try (0..<8).map { try Self.bitmap($0) }
        let file = try Codecs.encodeAnimation(
            of: PixelSize(width: 64, height: 48),
            frameCount: 90,
            loopCount: 0,
            as: .avif,
            options: EncodeOptions(quality: 0.1)
        ) { index in
            AnimationFrame(bitmap: bitmaps[index % 8], delay: 1.0 / 70)
        }
        #expect(abs(try FrameDecoder(file).delays.reduce(0, +) - 90.0 / 70) < 0.000_02)
    }

    @Test func `one frame makes a still, and none is refused`() throws {
        let size = PixelSize(width: 64, height: 48)
        let frame = AnimationFrame(bitmap: try Self.bitmap(0), delay: .infinity)
        let file = try Codecs.encodeAnimation(
            of: size,
            frameCount: 1,
            loopCount: 0,
            as: .avif
        ) { _ in frame }
        #expect(try Codecs.inspect(file).frameCount == 1)
        #expect(throws: CodecError.self) {
            try Codecs.encodeAnimation(of: size, frameCount: 0, loopCount: 0, as: .avif) { _ in
                frame
            }
        }
    }
}
