import Foundation
import KFPixels
import Synchronization
import Testing

@testable import KFCodecs

/// Encoders ask whether their result is still wanted.
@Suite(.timeLimit(.minutes(1)))
struct CancelledEncodingTests {
    /// Answers yes from a number of questions on.
    private final class Patience: Sendable {
        let questions = Mutex(0)
        let limit: Int

        init(_ limit: Int) { self.limit = limit }

        var isCancelled: @Sendable () -> Bool {
            {
                self.questions.withLock { count in
                    count += 1
                    return count > self.limit
                }
            }
        }
    }

    private static func noise(_ side: Int, mask: UInt64 = 0xFF) throws -> Bitmap {
        var random = SplitMix64(seed: 5)
        let size = PixelSize(width: side, height: side)
        return try Bitmap(size: size, isOpaque: true) { pixels, stride in
            for y in 0..<side {
                for x in 0..<side {
                    let bits = random.next()
                    for channel in 0..<3 {
                        pixels[y * stride + x * 4 + channel] = UInt8(
                            truncatingIfNeeded: bits >> (8 * channel) & mask
                        )
                    }
                    pixels[y * stride + x * 4 + 3] = 255
                }
            }
        }
    }

    @Test(arguments: [FileFormat.jpeg, .png, .webp, .gif])
    func `a still is given up between rows`(format: FileFormat) throws {
        // GIF takes long to reduce the colours of noise.
        let bitmap = try Self.noise(200, mask: format == .gif ? 0xC0 : 0xFF)
        // The first question comes before any work.
        for limit in [0, 1, 3] {
            let patience = Patience(limit)
            let options = EncodeOptions(isCancelled: patience.isCancelled)
            #expect(throws: CodecError.cancelled, "\(limit)") {
                try Codecs.encode(bitmap, as: format, options: options)
            }
        }
        let calm = EncodeOptions(isCancelled: { false })
        let plain = try Codecs.encode(bitmap, as: format)
        #expect(try Codecs.encode(bitmap, as: format, options: calm) == plain)
    }

    @Test func `a progressive JPEG is given up while its scans are written`() throws {
        let bitmap = try Self.noise(200)
        func questions(_ isProgressive: Bool) throws -> Int {
            let patience = Patience(.max)
            let options = EncodeOptions(
                isProgressive: isProgressive,
                isCancelled: patience.isCancelled
            )
            _ = try Codecs.encode(bitmap, as: .jpeg, options: options)
            return patience.questions.withLock { $0 }
        }
        let (one, several) = (try questions(false), try questions(true))
        // Every scan has 13 rows of blocks or more.
        #expect(several > one + 50)
        let options = EncodeOptions(
            isProgressive: true,
            isCancelled: Patience(several - 1).isCancelled
        )
        #expect(throws: CodecError.cancelled) {
            try Codecs.encode(bitmap, as: .jpeg, options: options)
        }
    }

    @Test(arguments: [FileFormat.gif, .webp, .avif])
    func `an animation is given up between frames`(format: FileFormat) throws {
        let bitmap = try Self.noise(32)
        let frames = Mutex(0)
        let options = EncodeOptions(isCancelled: { frames.withLock { $0 } >= 3 })
        #expect(throws: CodecError.cancelled) {
            try Codecs.encodeAnimation(
                of: bitmap.size,
                frameCount: 10_000,
                loopCount: 0,
                as: format,
                options: options
            ) { _ in
                frames.withLock { $0 += 1 }
                return AnimationFrame(bitmap: bitmap, delay: 0.1)
            }
        }
        // A format may look one frame ahead.
        #expect(frames.withLock { $0 } <= 4)
    }
}
