import CKFDeflate
import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Animations: timing, order of access, size.
struct FrameDecoderTests {
    private static let animations = Fixture.understood.filter {
        $0.name.contains(/animated|disposal/)
    }

    @Test(arguments: animations)
    func `any order of access gives the same frames`(fixture: Fixture) throws {
        let data = try fixture.data
        let forward = try FrameDecoder(data)
        let frames = try (0..<forward.frameCount).map { try forward.frame(at: $0) }
        let other = try FrameDecoder(data)
        for index in (0..<other.frameCount).reversed() {
            #expect(try other.frame(at: index) == frames[index], "frame \(index)")
        }
        var random = SplitMix64(seed: 5)
        for _ in 0..<20 {
            let index = Int(random.next() % UInt64(other.frameCount))
            #expect(try other.frame(at: index) == frames[index], "frame \(index)")
        }
    }

    @Test(arguments: animations)
    func `frames that are in use do not change`(fixture: Fixture) throws {
        let data = try fixture.data
        let dropping = try FrameDecoder(data)
        let holding = try FrameDecoder(data)
        var held: [(frame: Bitmap, pixels: [UInt8])] = []
        // Two rounds, so that the animation restarts while its frames are held.
        for index in (0..<holding.frameCount * 2).map({ $0 % holding.frameCount }) {
            let frame = try holding.frame(at: index)
            held.append((frame, Self.pixels(of: frame)))
            // These are not held, so their memory is reused each time.
            #expect(try Self.pixels(of: dropping.frame(at: index)) == Self.pixels(of: frame))
        }
        for (frame, pixels) in held { #expect(Self.pixels(of: frame) == pixels) }
    }

    @Test(arguments: animations)
    func `frames are the same after the memory between them was released`(
        fixture: Fixture
    ) throws {
        let data = try fixture.data
        let holding = try FrameDecoder(data)
        let releasing = try FrameDecoder(data)
        for index in (0..<holding.frameCount * 2).map({ $0 % holding.frameCount }) {
            let frame = try releasing.frame(at: index)
            #expect(try frame == holding.frame(at: index), "frame \(index)")
            #expect(releasing.heldBytes >= releasing.canvasBytes)
            releasing.releaseMemory(keepsCanvas: index % 3 == 0)
            if index % 3 != 0 { #expect(releasing.heldBytes == 0) }
        }
    }

    @Test func `memory of released frames is reused`() throws {
        let decoder = try FrameDecoder(Fixture(name: "animated.avif").data)
        let first = try decoder.frame(at: 0).storage.base
        for index in 1..<decoder.frameCount {
            #expect(try decoder.frame(at: index).storage.base == first)
        }
    }

    private static func pixels(of bitmap: Bitmap) -> [UInt8] {
        bitmap.withPixels { pixels, _ in
            Array(UnsafeBufferPointer(start: pixels, count: bitmap.byteCount))
        }
    }

    @Test(
        arguments: [
            ("animated.gif", [0.1, 0.1, 0.1, 0.25], 0),
            ("disposal.gif", [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], 3),
            ("animated.png", [0.1, 0.04, 1, 0.1, 0.08], 3),
            ("animated.webp", [0.1, 0.04, 0.1, 0.08], 2),
            ("animated.avif", [0.1, 0.04, 0.1, 0.08], 0),
        ] as [(String, [Double], Int)]
    )
    func `delays of 10 ms or less are played as 100 ms`(
        name: String,
        delays: [Double],
        loopCount: Int
    ) throws {
        let decoder = try FrameDecoder(Fixture(name: name).data)
        var expected = delays
        // The first frame stays for 50 ms.
        if name == "disposal.gif" { expected[0] = 0.05 }
        #expect(decoder.delays.count == expected.count)
        for (found, wanted) in zip(decoder.delays, expected) {
            #expect(abs(found - wanted) < 0.001)
        }
        #expect(decoder.loopCount == loopCount)
        #expect(decoder.info.isAnimated)
    }

    @Test(.enabled(if: Fixture.has(.jxl)))
    func `JPEG XL reports its delays and loops`() throws {
        let data = try Fixture(name: "animated.jxl").data
        let decoder = try FrameDecoder(data)
        #expect(decoder.frameCount == 4)
        for (found, wanted) in zip(decoder.delays, [0.05, 0.1, 0.3, 0.08]) {
            #expect(abs(found - wanted) < 0.001)
        }
        #expect(decoder.info.isAnimated)
        #expect(decoder.loopCount == decoder.info.loopCount)
        #expect(try Codecs.inspect(data).frameCount == 4)
        #expect(try FrameDecoder(Fixture(name: "lossless.jxl").data).frameCount == 1)
        var limits = DecodeLimits.default
        limits.maxFrameCount = 3
        #expect(throws: CodecError.limitExceeded(.frameCount, value: 4, allowed: 3)) {
            try FrameDecoder(data, options: DecodeOptions(limits: limits))
        }
    }

    @Test(.enabled(if: Fixture.has(.jxl)))
    func `JPEG XL that breaks off keeps the frames that are there`() throws {
        let data = try Fixture(name: "animated.jxl").data
        let refusal = CodecError.truncated(.jxl)
        #expect(throws: refusal) { try FrameDecoder(data.prefix(data.count / 2)) }
        // The last frame has begun.
        let part = data.prefix(data.count - 60)
        let strict = try FrameDecoder(part)
        #expect(throws: refusal) { try strict.frame(at: strict.frameCount - 1) }
        let whole = try FrameDecoder(data)
        #expect(try strict.frame(at: 0) == whole.frame(at: 0))
        let decoder = try FrameDecoder(part, options: DecodeOptions(truncation: .keepsPartial))
        #expect(decoder.frameCount > 1)
        #expect(try decoder.frame(at: 0) == whole.frame(at: 0))
        #expect(try decoder.frame(at: decoder.frameCount - 1).size == whole.size)
        #expect(try decoder.frame(at: 0) == whole.frame(at: 0))
    }

    @Test(arguments: animations)
    func `frames come in the size of the target`(fixture: Fixture) throws {
        let box = PixelSize(width: 12, height: 12)
        let decoder = try FrameDecoder(fixture.data, options: DecodeOptions(target: .fit(box)))
        #expect(decoder.size.longestSide == 12)
        #expect(try decoder.frame(at: decoder.frameCount - 1).size == decoder.size)
    }

    @Test(arguments: ["baseline.jpg", "exif6.jpg", "exif6.webp", "exif6.avif", "rgb24.bmp"])
    func `a still is an animation of one frame`(name: String) throws {
        let data = try Fixture(name: name).data
        let decoder = try FrameDecoder(data)
        #expect(decoder.frameCount == 1)
        #expect(try decoder.frame(at: 0) == Codecs.decode(data).bitmap)
        #expect(try decoder.size == Codecs.decode(data).bitmap.size)
    }

    @Test func `too many frames and too large canvases are refused`() throws {
        let data = try Fixture(name: "animated.gif").data
        var limits = DecodeLimits.default
        limits.maxFrameCount = 3
        #expect(throws: CodecError.limitExceeded(.frameCount, value: 4, allowed: 3)) {
            try FrameDecoder(data, options: DecodeOptions(limits: limits))
        }
        limits = .default
        limits.maxAnimationBytes = 1000
        #expect(throws: CodecError.self) {
            try FrameDecoder(data, options: DecodeOptions(limits: limits))
        }
    }

    @Test(arguments: ["animated.gif", "animated.png", "animated.webp"])
    func `a cut off animation keeps the frames that are there`(name: String) throws {
        let data = try Fixture(name: name).data
        let part = data.prefix(data.count * 9 / 10)
        #expect(throws: CodecError.self) { try FrameDecoder(part) }
        let decoder = try FrameDecoder(part, options: DecodeOptions(truncation: .keepsPartial))
        #expect(decoder.frameCount >= 1)
        #expect(try decoder.frame(at: 0) == FrameDecoder(data).frame(at: 0))
    }

    // libavif refuses a file whose frames are not all there.
    @Test(arguments: animations.filter { !$0.name.hasSuffix(".avif") })
    func `an animation that ends after its first frame has this frame`(fixture: Fixture) throws {
        let data = try fixture.data
        let first = try Codecs.decode(data).bitmap
        var count = 0
        for length in stride(from: 32, to: data.count, by: 32) {
            let part = data.prefix(length)
            guard let image = try? Codecs.decode(part) else { continue }
            #expect(image.bitmap == first && !image.isPartial, "\(length) of \(data.count) bytes")
            count += 1
        }
        // The first frame has the most bytes.
        #expect(count * 32 > data.count / 5)
        #expect(throws: CodecError.self) { try FrameDecoder(data.prefix(data.count * 3 / 4)) }
    }

    @Test func `an animated PNG that leaves its default image out shows its first frame`() throws {
        // Moves the first frame's control chunk after the pixels, which become frame data.
        let data = try Fixture(name: "animated.png").data
        let first = try FrameDecoder(data).frame(at: 0)
        let control = try data.index(of: "fcTL") - 4
        let pixels = try data.index(of: "IDAT") - 4
        let end =
            try #require(data.range(of: Data("fcTL".utf8), in: pixels..<data.count))
            .lowerBound - 4
        let frame = data[pixels + 8..<end - 4]
        // An invalid chunk as the default image: nothing may decode it.
        var file = data[..<control] + Self.chunk("IDAT", [1, 2, 3])
        file += data[control..<pixels]
        file += Self.chunk("fdAT", Bytes.big(0, 4) + frame)
        let ending = try data.index(of: "IEND") - 4
        // A single frame, then all of them.
        for rest in [data[ending...], data[end...]] {
            let animation = file + rest
            #expect(try FrameDecoder(animation).frame(at: 0) == first)
            #expect(try Codecs.decode(animation).bitmap == first)
        }
        // Without any frame, only the default image remains.
        let still = data[..<control] + data[pixels..<end] + data[ending...]
        #expect(try Codecs.decode(still).bitmap == first)
    }

    @Test func `a still is decoded when its frame is asked for`() throws {
        let data = try Fixture(name: "rgb8.png").data
        // The first byte of the compressed pixels, which also invalidates the checksum.
        let damaged = data.patched([0], at: try data.index(of: "IDAT") + 4)
        let decoder = try FrameDecoder(damaged)
        #expect(decoder.size == (try Codecs.inspect(data).storedSize))
        #expect(throws: CodecError.self) { try decoder.frame(at: 0) }
        let target = DecodeOptions.Target.exact(PixelSize(width: 7, height: 5))
        let options = DecodeOptions(target: target)
        for name in ["exif6.jpg", "png.ico"] {
            let still = try Fixture(name: name).data
            let sized = try FrameDecoder(still, options: options).frame(at: 0)
            #expect(try sized == Codecs.decode(still, options: options).bitmap)
        }
    }

    private static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        let bytes = Array(type.utf8) + body
        let checksum = Int(libdeflate_crc32(0, bytes, bytes.count))
        return Bytes.big(body.count, 4) + bytes + Bytes.big(checksum, 4)
    }
}
