import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Headers with false values: excessive sizes, frames, times and loops.
struct HostileHeaderTests {
    /// A fixture whose header states `width` × `height`.
    private static func file(_ name: String, width: Int, height: Int) throws -> Data {
        let data = try Fixture(name: name).data
        let big = { Bytes.big(width, $0) + Bytes.big(height, $0) }
        let little = { Bytes.little(width, $0) + Bytes.little(height, $0) }
        switch name.split(separator: ".").last {
        case "jpg":
            // After the marker: length, bits, then height before width.
            let frame = try #require(data.range(of: Data([0xFF, 0xC0]))).lowerBound
            return data.patched(Bytes.big(height, 2) + Bytes.big(width, 2), at: frame + 5)
        case "png": return data.patched(big(4), at: 16)
        case "gif": return data.patched(little(2), at: 6)
        case "bmp": return data.patched(little(4), at: 18)
        case "webp" where name == "lossy.webp": return data.patched(little(2), at: 26)
        case "webp":
            let bits = (width - 1) & 0x3FFF | ((height - 1) & 0x3FFF) << 14
            return data.patched(Bytes.little(bits, 4), at: 21)
        default: return data.patched(big(4), at: try data.index(of: "ispe") + 8)
        }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ("baseline.jpg", 65_500), ("rgb8.png", 100_000), ("still.gif", 65_535),
            ("rgb24.bmp", 100_000), ("lossy.webp", 16_383), ("lossless.webp", 16_383),
            ("420.avif", 16_000),
        ]
    )
    func `a header that claims too much is refused before memory is taken`(
        name: String,
        side: Int
    ) throws {
        let data = try Self.file(name, width: side, height: side)
        for target in [DecodeOptions.Target.full, .fit(PixelSize(width: 10, height: 10))] {
            let error = #expect(throws: CodecError.self) {
                try Codecs.decode(data, options: DecodeOptions(target: target))
            }
            guard case .limitExceeded(_, let value, let allowed) = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(value > allowed)
        }
    }

    @Test(arguments: ["baseline.jpg", "rgb8.png", "rgb24.bmp", "lossy.webp", "420.avif"])
    func `a side of zero is refused`(name: String) throws {
        for (width, height) in [(0, 20), (20, 0), (0, 0)] {
            let data = try Self.file(name, width: width, height: height)
            #expect(throws: CodecError.self) { try Codecs.inspect(data) }
            #expect(throws: CodecError.self) { try Codecs.decode(data) }
        }
    }

    @Test func `a GIF without a screen takes that of its first frame`() throws {
        let data = try Self.file("still.gif", width: 0, height: 0)
        let expected = try Codecs.decode(Fixture(name: "still.gif").data).bitmap
        #expect(try Codecs.decode(data).bitmap == expected)
    }

    @Test(arguments: ["animated.gif", "disposal.gif"])
    func `a large empty screen is refused to an animation, whatever the target is`(
        name: String
    ) throws {
        // Within the limit of pixels; canvas, backup and the frame itself take 2.3 GB.
        let data = try Self.file(name, width: 14_000, height: 14_000)
        let options = DecodeOptions(target: .fit(PixelSize(width: 10, height: 10)))
        let refusal = CodecError.limitExceeded(
            .animationBytes,
            value: 14_000 * 14_000 * 12,
            allowed: DecodeLimits.default.maxAnimationBytes
        )
        #expect(throws: refusal) { try FrameDecoder(data, options: options) }
    }

    @Test(arguments: ["still.gif", "interlaced.gif", "animated.gif"])
    func `the first frame of a GIF needs no memory for a large screen`(name: String) throws {
        let data = try Self.file(name, width: 600, height: 500)
        var limits = DecodeLimits.default
        // No canvas fits, but the frame's indices do.
        limits.maxAnimationBytes = 1000
        limits.maxWorkingBytes = 4000
        let first = try Codecs.decode(Fixture(name: name).data).bitmap
        let full = try Codecs.decode(data, options: DecodeOptions(limits: limits)).bitmap
        #expect(full.size == PixelSize(width: 600, height: 500))
        #expect(!full.isOpaque)
        for (x, y) in [(0, 0), (first.width - 1, first.height - 1), (3, first.height / 2)] {
            #expect(full[x, y] == first[x, y])
        }
        #expect(full[first.width, 0] == .clear)
        #expect(full[0, first.height] == .clear)
        let box = PixelSize(width: 60, height: 50)
        let options = DecodeOptions(target: .fit(box), limits: limits)
        #expect(try Codecs.decode(data, options: options).bitmap == resample(full, to: box))
    }

    @Test(
        arguments: [
            ("grey16-interlaced.png", 1), ("rgb8-interlaced.png", 3), ("rgba8-interlaced.png", 4),
        ]
    )
    func `an interlaced PNG is held with the channels that it has`(
        name: String,
        channels: Int
    ) throws {
        let data = try Fixture(name: name).data
        let size = try Codecs.inspect(data).storedSize
        let bytes = size.width * size.height * channels
        var options = DecodeOptions(target: .fit(PixelSize(width: 5, height: 5)))
        options.limits.maxWorkingBytes = bytes
        #expect(throws: Never.self) { try Codecs.decode(data, options: options) }
        options.limits.maxWorkingBytes = bytes - 1
        let refusal = CodecError.limitExceeded(.workingBytes, value: bytes, allowed: bytes - 1)
        #expect(throws: refusal) { try Codecs.decode(data, options: options) }
    }

    @Test func `the indices of an interlaced GIF count as working memory`() throws {
        let data = try Fixture(name: "interlaced.gif").data
        let size = try Codecs.inspect(data).storedSize
        var limits = DecodeLimits.default
        limits.maxWorkingBytes = 100
        let refusal = CodecError.limitExceeded(
            .workingBytes,
            value: size.width * size.height,
            allowed: 100
        )
        #expect(throws: refusal) {
            try Codecs.decode(data, options: DecodeOptions(limits: limits))
        }
    }

    @Test func `lossless WebP and AVIF count the memory of their libraries`() throws {
        // 13,000²: within the limit of pixels, but 676 MB or, with three planes, 507 MB.
        let webp = try Self.file("lossless.webp", width: 13_000, height: 13_000)
        #expect(
            throws: CodecError.limitExceeded(
                .workingBytes,
                value: 13_000 * 13_000 * 4,
                allowed: DecodeLimits.default.maxWorkingBytes
            )
        ) { try Codecs.decode(webp) }
        let avif = try Self.file("444.avif", width: 14_000, height: 14_000)
        #expect(
            throws: CodecError.limitExceeded(
                .workingBytes,
                value: 14_000 * 14_000 * 3,
                allowed: DecodeLimits.default.maxWorkingBytes
            )
        ) { try Codecs.decode(avif) }
    }

    @Test func `frames outside the canvas are refused, or clipped where browsers do`() throws {
        let gif = try Fixture(name: "animated.gif").data
        let frames = try FrameDecoder(gif).frameCount
        // The second image descriptor: a comma, then the position of the frame.
        let second = try Self.imageDescriptor(1, of: gif)
        for corner in [20, 33, 1000, 65_535] {
            let data = gif.patched(Bytes.little(corner, 2), at: second + 1)
            let decoder = try FrameDecoder(data)
            for index in 0..<frames {
                #expect(try decoder.frame(at: index).size == decoder.size)
            }
        }
        let png = try Fixture(name: "animated.png").data
        let control = try png.index(of: "fcTL")
        let webp = try Fixture(name: "animated.webp").data
        let frame = try webp.index(of: "ANMF")
        for corner in [1, 33, 0x7FFF_FFFF, 0xFFFF_FFFF] {
            let data = png.patched(Bytes.big(corner, 4), at: control + 4 + 12)
            #expect(throws: CodecError.corrupt(.png, detail: "a frame outside the canvas")) {
                try FrameDecoder(data)
            }
        }
        for corner in [1, 33, 0xFF_FFFF] {
            let data = webp.patched(Bytes.little(corner, 3), at: frame + 8)
            #expect(throws: CodecError.corrupt(.webp, detail: "a frame outside the canvas")) {
                try FrameDecoder(data)
            }
        }
    }

    @Test func `a PNG chunk longer than the format allows is corrupt`() throws {
        let png = try Fixture(name: "rgb8.png").data
        for (length, error) in [
            (0x7FFF_FFFF, CodecError.truncated(.png)),
            (0x8000_0000, .corrupt(.png, detail: "a chunk of 2147483648 bytes")),
        ] {
            let chunk = Bytes.big(length, 4) + Array("tEXt".utf8)
            #expect(throws: error) { try Codecs.inspect(png.inserting(chunk, at: 33)) }
        }
    }

    /// The offset of image descriptor `number` of a GIF, according to our own reader.
    private static func imageDescriptor(_ number: Int, of data: Data) throws -> Int {
        try data.withUnsafeBytes { try GIFHeader(parsing: $0, limits: .default) }
            .frames[number].offset
    }

    @Test func `the longest delays and the most loops are kept`() throws {
        var gif = try Fixture(name: "animated.gif").data
        gif = gif.patched([0xFF, 0xFF], at: try gif.index(of: "NETSCAPE2.0") + 13)
        let control = try #require(gif.range(of: Data([0x21, 0xF9, 4]))).lowerBound
        gif = gif.patched([0xFF, 0xFF], at: control + 4)
        let played = try FrameDecoder(gif)
        #expect(played.loopCount == 65_536)
        #expect(abs(played.delays[0] - 655.35) < 0.001)

        var png = try Fixture(name: "animated.png").data
        png = png.patched([0xFF, 0xFF, 0xFF, 0xFF], at: try png.index(of: "acTL") + 8)
        let frame = try png.index(of: "fcTL")
        for (denominator, seconds) in [(0, 655.35), (1, 65_535), (65_535, 1)] as [(Int, Double)] {
            let delay = Bytes.big(65_535, 2) + Bytes.big(denominator, 2)
            let decoder = try FrameDecoder(png.patched(delay, at: frame + 4 + 20))
            #expect(decoder.loopCount == 0xFFFF_FFFF)
            #expect(abs(decoder.delays[0] - seconds) < 0.001)
        }

        var webp = try Fixture(name: "animated.webp").data
        webp = webp.patched([0xFF, 0xFF], at: try webp.index(of: "ANIM") + 12)
        webp = webp.patched([0xFF, 0xFF, 0xFF], at: try webp.index(of: "ANMF") + 8 + 12)
        let decoder = try FrameDecoder(webp)
        #expect(decoder.loopCount == 65_535)
        #expect(abs(decoder.delays[0] - 16_777.215) < 0.001)
    }

    @Test func `an animation that claims four thousand million frames has those that are there`()
        throws
    {
        let png = try Fixture(name: "animated.png").data
        let data = png.patched([0xFF, 0xFF, 0xFF, 0xFF], at: try png.index(of: "acTL") + 4)
        #expect(try FrameDecoder(data).frameCount == FrameDecoder(png).frameCount)
    }

    @Test(arguments: Fixture.all)
    func `a target of any size gives an image or an error`(fixture: Fixture) throws {
        let data = try fixture.data
        for size in [PixelSize(width: .max, height: .max), PixelSize(width: 1, height: .max)] {
            let options = DecodeOptions(target: .exact(size))
            #expect(throws: CodecError.self) { try Codecs.decode(data, options: options) }
            let fitting = DecodeOptions(target: .fit(size))
            _ = try? Codecs.decode(data, options: fitting)  // only that it returns
            let scans = ProgressiveJPEGDecoder(options: options)
            _ = try? scans.append(data)  // as above
            _ = try? scans.decode()
        }
    }

    @Test func `a canvas of any size is refused`() {
        let size = PixelSize(width: Int(Int32.max), height: Int(Int32.max))
        for size in [size, PixelSize(width: .max, height: .max)] {
            #expect(throws: CodecError.self) { try DecodeLimits.default.check(canvas: size) }
        }
    }
}
