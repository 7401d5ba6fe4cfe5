import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Sizes beyond the limits of a whole image, but within those of one that is scaled down while its
/// rows are decoded.
struct SizeLimitTests {
    @Test(arguments: [FileFormat.png, .jpeg])
    func `a screenshot taller than the longest side is decoded to a size`(
        format: FileFormat
    ) throws {
        let size = PixelSize(width: 16, height: 40_000)
        let tall = try Bitmap(size: size, isOpaque: true) { pixels, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width * 4 {
                    pixels[y * bytesPerRow + x] = x % 4 == 3 ? 255 : UInt8(y / 200)
                }
            }
        }
        let data = try Codecs.encode(tall, as: format)
        let refusal = CodecError.limitExceeded(.dimension, value: 40_000, allowed: 32_767)
        #expect(throws: refusal) { try Codecs.decode(data) }
        let options = DecodeOptions(target: .exact(PixelSize(width: 4, height: 100)))
        let small = try Codecs.decode(data, options: options).bitmap
        #expect(small.size == PixelSize(width: 4, height: 100))
        for y in stride(from: 10, to: 100, by: 20) {
            #expect(abs(Int(small[2, y].red) - y * 2) < 4)
        }
    }

    @Test(arguments: ["baseline.jpg", "rgb8.png", "rgb24.bmp", "still.gif"])
    func `more pixels than allowed are decoded to a size, up to a limit of their own`(
        name: String
    ) throws {
        let data = try Fixture(name: name).data
        let count = try #require(Codecs.inspect(data).storedSize.pixelCount)
        var options = DecodeOptions()
        options.limits.maxPixelCount = count / 2
        let refusal = CodecError.limitExceeded(.pixelCount, value: count, allowed: count / 2)
        #expect(throws: refusal) { try Codecs.decode(data, options: options) }
        options.target = .fit(PixelSize(width: 5, height: 5))
        #expect(throws: Never.self) { try Codecs.decode(data, options: options) }
        options.limits.maxReducedPixelCount = count - 1
        let other = CodecError.limitExceeded(.pixelCount, value: count, allowed: count - 1)
        #expect(throws: other) { try Codecs.decode(data, options: options) }
    }

    @Test func `for a large target the limits are those of a whole image`() throws {
        let data = try Fixture(name: "rgb8.png").data
        let count = try #require(Codecs.inspect(data).storedSize.pixelCount)
        var limits = DecodeLimits.default
        limits.maxPixelCount = count / 2
        let target = DecodeOptions.Target.exact(PixelSize(width: count / 2 + 1, height: 1))
        let refusal = CodecError.limitExceeded(.pixelCount, value: count, allowed: count / 2)
        #expect(throws: refusal) {
            try Codecs.decode(data, options: DecodeOptions(target: target, limits: limits))
        }
    }
}
