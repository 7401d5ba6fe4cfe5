import CKFDeflate
import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Files that violate their format and that other decoders accept.
struct TolerantInputTests {
    @Test(arguments: [0, 1, 2])
    func `a JPEG's comment segment may state a length that is too short`(length: Int) throws {
        let data = try Fixture(name: "baseline.jpg").data
        let comment = [0xFF, 0xFE] + Bytes.big(length, 2) + Array("five!".utf8)
        let commented = data.inserting(comment, at: 2)
        #expect(try Codecs.inspect(commented).storedSize == Codecs.inspect(data).storedSize)
        #expect(try Codecs.decode(commented).bitmap == Codecs.decode(data).bitmap)
    }

    @Test func `a frame header that is too short is refused`() throws {
        let data = try Fixture(name: "baseline.jpg").data
        let frame = try #require(data.range(of: Data([0xFF, 0xC0]))).lowerBound
        #expect(throws: CodecError.self) {
            try Codecs.inspect(data.patched([0, 1], at: frame + 2))
        }
    }

    @Test func `transparency before the palette of an RGB PNG is ignored`() throws {
        // The palette is a suggestion for old screens, but libpng treats it as a correction.
        let data = try Fixture(name: "rgb8-key.png").data
        let start = try data.index(of: "tRNS") - 4
        let pixels = try data.index(of: "IDAT") - 4
        let opaque = data[..<start] + data[pixels...]
        let suggested = data.inserting(Self.chunk("PLTE", [1, 2, 3, 4, 5, 6]), at: pixels)
        #expect(try Codecs.decode(data).bitmap != Codecs.decode(opaque).bitmap)
        #expect(try Codecs.decode(suggested).bitmap == Codecs.decode(opaque).bitmap)
        #expect(try Codecs.inspect(suggested) == Codecs.inspect(opaque))
    }

    @Test func `a palette before the transparency of an RGB PNG changes nothing`() throws {
        let data = try Fixture(name: "rgb8-key.png").data
        let transparency = try data.index(of: "tRNS") - 4
        let suggested = data.inserting(Self.chunk("PLTE", [1, 2, 3]), at: transparency)
        #expect(try Codecs.decode(suggested).bitmap == Codecs.decode(data).bitmap)
    }

    @Test func `a GIF without any colour table is grey`() throws {
        // A screen of 4 × 1 without a table, one image with indices 0, 85, 170, 255 of 8 bits:
        // codes of 9 bits, with clear (256) first and end (257) last.
        let codes = [256, 0, 85, 170, 255, 257]
        let file =
            Array("GIF89a".utf8) + [4, 0, 1, 0, 0x70, 0, 0]
            + [0x2C, 0, 0, 0, 0, 4, 0, 1, 0, 0, 8] + Self.packed(codes, bits: 9) + [0, 0x3B]
        let bitmap = try Codecs.decode(Data(file)).bitmap
        let greys = (0..<4).map { bitmap[$0, 0] }
        #expect(greys == [0, 85, 170, 255].map { RGBA(red: $0, green: $0, blue: $0) })
    }

    @Test(arguments: [252, 256, 1])
    func `an OS/2 bitmap's palette ends where its pixels begin`(colors: Int) throws {
        // 4 × 1 pixels of 8 bits; the header of 12 bytes has no field for the number of colours.
        var palette: [UInt8] = []
        for color in 0..<colors { palette += [UInt8(color), UInt8(255 - color), 7] }
        let indices: [UInt8] = [0, 1, 2, 251].map { UInt8(min($0, colors - 1)) }
        let offset = 26 + palette.count
        var file = Array("BM".utf8)
        for number in [offset + 4, 0, offset, 12] { file += Bytes.little(number, 4) }
        // Width, height, planes, bits.
        for number in [4, 1, 1, 8] { file += Bytes.little(number, 2) }
        file += palette + indices
        let bitmap = try Codecs.decode(Data(file)).bitmap
        let expected = indices.map { RGBA(red: 7, green: 255 - $0, blue: $0) }
        #expect((0..<4).map { bitmap[$0, 0] } == expected)
    }

    /// The lengths of the headers of Windows 3, 98 and 2000 with masks, and bits per pixel.
    @Test(arguments: [56, 108, 124], [16, 32])
    func `a bitmap whose header has a mask of alpha is transparent`(
        length: Int,
        bits: Int
    ) throws {
        let masks =
            bits == 16 ? [0x7C00, 0x03E0, 0x1F, 0x8000] : [0xFF, 0xFF00, 0xFF_0000, 255 << 24]
        var file = Array("BM".utf8)
        for number in [14 + length + 8, 0, 14 + length, length, 2, 1] {
            file += Bytes.little(number, 4)
        }
        file += Bytes.little(1, 2) + Bytes.little(bits, 2)
        // BI_BITFIELDS; the size of the pixels, two densities, and two numbers of colours.
        for number in [3, 8, 0, 0, 0, 0] + masks { file += Bytes.little(number, 4) }
        file += [UInt8](repeating: 0, count: 14 + length - file.count)
        let half = bits == 16 ? 0 : 128
        for pixel in [masks[0] | masks[3], bits == 16 ? masks[1] : masks[1] | half << 24] {
            file += Bytes.little(pixel, bits / 8)
        }
        file += [UInt8](repeating: 0, count: bits == 16 ? 4 : 0)
        let bitmap = try Codecs.decode(Data(file)).bitmap
        #expect(bitmap[0, 0] == RGBA(red: 255, green: 0, blue: 0))
        #expect(Int(bitmap[1, 0].alpha) == half && Int(bitmap[1, 0].green) == half)
        #expect(try Codecs.inspect(Data(file)).hasAlpha)
    }

    /// In place of the depths of the channels, which take as many bytes.
    @Test(arguments: ["pasp", "clli"])
    func `what describes the display of an AVIF does not change its pixels`(
        property: String
    ) throws {
        let data = try Fixture(name: "444.avif").data
        let depths = try data.index(of: "pixi")
        let numbers = Array(property.utf8) + Bytes.big(2, 4) + Bytes.big(1, 4)
        let described = data.patched(numbers, at: depths)
        #expect(try Codecs.decode(described).bitmap == Codecs.decode(data).bitmap)
        #expect(try Codecs.inspect(described).displaySize == Codecs.inspect(data).displaySize)
    }

    @Test func `of an icon's equal entries the first is taken`() throws {
        let first = try Codecs.encode(Self.bitmap(RGBA(red: 255, green: 0, blue: 0)), as: .png)
        let second = try Codecs.encode(Self.bitmap(RGBA(red: 0, green: 255, blue: 0)), as: .png)
        var file = Bytes.little(0, 2) + Bytes.little(1, 2) + Bytes.little(2, 2)
        var start = 6 + 2 * 16
        for image in [first, second] {
            file += [8, 8, 0, 0] + Bytes.little(1, 2) + Bytes.little(32, 2)
            file += Bytes.little(image.count, 4) + Bytes.little(start, 4)
            start += image.count
        }
        let data = Data(file) + first + second
        let box = PixelSize(width: 4, height: 4)
        for target in [DecodeOptions.Target.full, .fit(box)] {
            let image = try Codecs.decode(data, options: DecodeOptions(target: target))
            #expect(image.bitmap[0, 0] == RGBA(red: 255, green: 0, blue: 0))
        }
    }

    private static func bitmap(_ color: RGBA) throws -> Bitmap {
        try Bitmap(size: PixelSize(width: 8, height: 8), isOpaque: true) { pixels, _ in
            for pixel in 0..<64 {
                pixels[pixel * 4] = color.red
                pixels[pixel * 4 + 1] = color.green
                pixels[pixel * 4 + 2] = color.blue
                pixels[pixel * 4 + 3] = 255
            }
        }
    }

    /// A PNG chunk.
    private static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        let bytes = Array(type.utf8) + body
        let checksum = Int(libdeflate_crc32(0, bytes, bytes.count))
        return Bytes.big(body.count, 4) + bytes + Bytes.big(checksum, 4)
    }

    /// Codes of a fixed length as one sub-block.
    private static func packed(_ codes: [Int], bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (codes.count * bits + 7) / 8)
        for (index, code) in codes.enumerated() {
            for bit in 0..<bits where code >> bit & 1 != 0 {
                let place = index * bits + bit
                bytes[place / 8] |= 1 << (place % 8)
            }
        }
        return [UInt8(bytes.count)] + bytes
    }
}
