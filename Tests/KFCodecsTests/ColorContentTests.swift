import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Colours are those of a file's profile, whatever its name is.
struct ColorContentTests {
    /// The profile of sRGB with other parameters of its curve, and another name.
    private static func profile(name: String, gamma: Double? = nil) throws -> Data {
        var profile = Data(SRGBProfile.bytes)
        let text = name.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let place = try #require(profile.range(of: Data("s\0R\0G\0B".utf8))).lowerBound - 1
        profile = profile.patched(text, at: place)
        guard let gamma else { return profile }
        // Exponent, scale, offset, slope and limit of the linear part.
        let numbers = [gamma, 1, 0, 1, 0].flatMap { Bytes.big(Int($0 * 65_536), 4) }
        return profile.patched(numbers, at: try profile.index(of: "para") + 12)
    }

    private static func ramp() throws -> Bitmap {
        try Bitmap(size: PixelSize(width: 256, height: 3), isOpaque: true) { pixels, stride in
            for y in 0..<3 {
                for x in 0..<256 {
                    let pixel = pixels + y * stride + x * 4
                    for channel in 0..<3 {
                        let value = [x, channel == 0 ? x : 255 - x, channel == 2 ? x / 2 : x][y]
                        pixel[channel] = UInt8(value)
                    }
                    pixel[3] = 255
                }
            }
        }
    }

    @Test(arguments: [FileFormat.png, .webp])
    func `a linear profile that is called sRGB is converted`(format: FileFormat) throws {
        let bitmap = try Self.ramp()
        let options = EncodeOptions(isLossless: true)
        let plain = try Codecs.encode(bitmap, as: format, options: options)
        let profile = try Self.profile(name: "sRGB", gamma: 1)
        let file = try FileMetadata(profile: profile).written(to: plain)
        let found = try Codecs.decode(file).bitmap
        var worst = 0.0
        for y in 0..<3 {
            for x in 0..<256 {
                let stored = bitmap[x, y]
                let light = [stored.red, stored.green, stored.blue].map { Double($0) / 255 }
                worst = max(worst, ColorDifference.of(found[x, y], fromLight: light))
            }
        }
        #expect(worst < 1)
    }

    @Test func `a profile with the colours of sRGB is one, whatever its name is`() throws {
        for name in ["sRGB", "Mine", "c2  "] {
            for _ in 0..<2 {
                let profile = try Self.profile(name: name)
                #expect(profile.withUnsafeBytes(ColorProfile.init) == nil)
            }
        }
        // The curve of a gamma of 2.2 is another.
        let other = try Self.profile(name: "sRGB", gamma: 2.2)
        #expect(other.withUnsafeBytes(ColorProfile.init) != nil)
    }

    @Test func `ink is inverted, with or without the segment of Adobe's programs`() throws {
        let marked = try Fixture(name: "cmyk.jpg").data
        let expected = try Codecs.decode(marked).bitmap
        // After SOI: the marker and its 14 bytes.
        let segment = Array(marked[2..<18])
        let unmarked = marked.prefix(2) + marked.suffix(from: 18)
        let short: [UInt8] = [0xFF, 0xE0, 0, 6, 0x4A, 0x46, 0x49, 0x46]
        let empty: [UInt8] = [0xFF, 0xE0, 0, 2]
        for file in [
            Data(unmarked), Data(unmarked).inserting(short, at: 2),
            Data(unmarked).inserting(short + segment, at: 2),
            Data(unmarked).inserting(empty + segment, at: 2),
        ] {
            #expect(try Codecs.decode(file).bitmap == expected)
        }
    }

    @Test(arguments: ["cmyk.jpg", "cmyk-ycck.jpg"])
    func `ink has the colours that Pillow shows, also as luma and chroma`(name: String) throws {
        let fixture = Fixture(name: name)
        let bitmap = try Codecs.decode(fixture.data).bitmap
        #expect(try fixture.expected.difference(to: bitmap).greatest <= 2)
    }

    @Test func `the difference of colours agrees with published values`() {
        // Sharma, Wu and Dalal (2005) give pairs in Lab; these are equal greys and a known red.
        #expect(ColorDifference.between([10, 20, 30], [10, 20, 30]) == 0)
        #expect(abs(ColorDifference.between([255, 255, 255], [0, 0, 0]) - 100) < 0.01)
        #expect((0.2...0.6).contains(ColorDifference.between([128, 128, 128], [129, 129, 129])))
    }
}
