import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Chunks that are endless, nested or invalid.
struct HostileChunkTests {
    @Test(.timeLimit(.minutes(1)))
    func `endless runs of tiny chunks end in an error`() throws {
        let comment = [UInt8]([0xFF, 0xFE, 0, 2])
        let jpeg = try Fixture(name: "baseline.jpg").data
        let segments = [UInt8](repeatElement(comment, count: 50_000).joined())
        #expect(throws: CodecError.self) { try Codecs.decode(jpeg.inserting(segments, at: 2)) }

        let png = try Fixture(name: "rgb8.png").data
        // An empty tEXt chunk and its checksum; the header ends at 33.
        let text = [UInt8]([0, 0, 0, 0]) + Array("tEXt".utf8) + [0x6A, 0xD0, 0x86, 0x3C]
        let chunks = [UInt8](repeatElement(text, count: 50_000).joined())
        #expect(
            throws: CodecError.corrupt(.png, detail: "more than 10000 chunks before the pixels")
        ) { try Codecs.decode(png.inserting(chunks, at: 33)) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a comment that never ends is a file that breaks off`() throws {
        let gif = try Fixture(name: "still.gif").data
        // The screen descriptor and its colours, then an extension of full blocks.
        let start = gif.prefix(13 + 3 << (Int(gif[10] & 7) + 1) + 13)
        let block = [UInt8(255)] + [UInt8](repeating: 0x41, count: 255)
        let data = start + [0x21, 0xFE] + [UInt8](repeatElement(block, count: 4000).joined())
        #expect(throws: CodecError.self) { try Codecs.decode(data) }
        let webp = try Fixture(name: "animated.webp").data
        let unknown = Array("JUNK".utf8) + Bytes.little(0, 4)
        let many = [UInt8](repeatElement(unknown, count: 100_000).joined())
        let long = webp.inserting(many, at: 30)
            .patched(Bytes.little(webp.count - 8 + many.count, 4), at: 4)
        #expect(try FrameDecoder(long).frameCount == FrameDecoder(webp).frameCount)
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["meta", "moov", "iprp"])
    func `boxes within boxes come to an end`(kind: String) throws {
        let start = try Fixture(name: "420.avif").data.prefix(32)
        var nested: [UInt8] = []
        for _ in 0..<5000 { nested = Bytes.big(nested.count + 8, 4) + Array(kind.utf8) + nested }
        let data = start + nested
        #expect(throws: CodecError.self) { try Codecs.inspect(data) }
        #expect(throws: CodecError.self) { try Codecs.decode(data) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an icon within an icon is refused`() throws {
        let icon = try Fixture(name: "png.ico").data
        let entry: [UInt8] =
            [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0]
            + Bytes.little(icon.count, 4) + Bytes.little(22, 4)
        #expect(throws: CodecError.self) { try Codecs.decode(entry + icon) }
    }

    @Test func `a profile of rubbish is as good as none`() throws {
        var random = SplitMix64(seed: 11)
        let plain = try Fixture(name: "baseline.jpg").data
        let expected = try Codecs.decode(plain).bitmap
        for count in [0, 1, 127, 128, 200, 4000, 65_000] {
            let noise = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let body = Array("ICC_PROFILE\0".utf8) + [1, 1] + noise
            let segment = [0xFF, 0xE2] + Bytes.big(body.count + 2, 2) + body
            #expect(try Codecs.decode(plain.inserting(segment, at: 2)).bitmap == expected)
        }
    }

    @Test(arguments: ["profile.jpg", "profile.png", "profile.webp", "profile.avif", "cmyk.jpg"])
    func `a damaged profile gives an image of the same size, or an error`(name: String) throws {
        let data = try Fixture(name: name).data
        let size = try Codecs.decode(data).bitmap.size
        var random = SplitMix64(seed: 12)
        // All of them have their profile near the beginning.
        for _ in 0..<300 {
            var damaged = data
            for _ in 0...Int(random.next() % 8) {
                let offset = 40 + Int(random.next() % UInt64(min(600, data.count - 40)))
                damaged[offset] = UInt8(truncatingIfNeeded: random.next())
            }
            do throws(CodecError) {
                let image = try Codecs.decode(damaged)
                if image.info.storedSize == size { #expect(image.bitmap.size == size) }
            } catch {
                // Any typed error is accepted; the compiler excludes others.
                continue
            }
        }
    }

    /// Exif data whose first directory is `entries`, at `directory`.
    private static func exif(_ entries: [UInt8], directory: Int = 8, count: Int = 1) -> [UInt8] {
        Array("Exif\0\0MM\0*".utf8) + Bytes.big(directory, 4) + Bytes.big(count, 2) + entries
    }

    @Test(
        arguments: [
            // A directory beyond the end, within itself, and with more entries than there are.
            exif([], directory: 0x7FFF_FFFF), exif([], directory: 0xFFFF_FFFF),
            exif([], directory: 0), exif([], count: 65_535),
            // Orientations that do not exist, have an unusual type, or are cut off.
            exif([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0]),
            exif([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 9, 0, 0]),
            exif([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0xFF, 0xFF, 0, 0]),
            exif([0x01, 0x12, 0, 4, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]),
            exif([0x01, 0x12, 0, 7, 0, 0, 0, 1, 0, 6, 0, 0]), exif([0x01, 0x12, 0, 3]),
            Array("Exif\0\0".utf8), Array("Exif\0\0XX\0*".utf8), Array("Exif\0\0II".utf8),
        ]
    )
    func `EXIF of rubbish leaves the image upright`(block: [UInt8]) throws {
        let plain = try Fixture(name: "baseline.jpg").data
        let segment = [0xFF, 0xE1] + Bytes.big(block.count + 2, 2) + block
        let image = try Codecs.decode(plain.inserting(segment, at: 2))
        #expect(image.info.orientation == .up)
        #expect(try image.bitmap == Codecs.decode(plain).bitmap)
    }
}
