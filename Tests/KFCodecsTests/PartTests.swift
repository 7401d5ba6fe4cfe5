import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Decoding a part of an image.
struct PartTests {
    /// Parts of an image: corners, edges, a pixel, a row, the middle, all of it.
    private func parts(of size: PixelSize) -> [PixelRect] {
        let (w, h) = (size.width, size.height)
        return [
            PixelRect(x: 0, y: 0, width: w, height: h),
            PixelRect(x: 0, y: 0, width: (w + 1) / 2, height: (h + 1) / 2),
            PixelRect(x: w / 2, y: h / 2, width: w - w / 2, height: h - h / 2),
            PixelRect(x: w / 3, y: h / 3, width: (w + 2) / 3, height: (h + 2) / 3),
            PixelRect(x: w - 1, y: h - 1, width: 1, height: 1),
            PixelRect(x: 0, y: h / 2, width: w, height: 1),
            PixelRect(x: w / 2, y: 0, width: 1, height: h),
        ]
    }

    private func check(
        _ data: Data,
        _ name: String,
        _ targets: [DecodeOptions.Target]
    ) throws {
        for target in targets {
            let whole = try Codecs.decode(data, options: DecodeOptions(target: target))
            for part in parts(of: whole.bitmap.size) {
                let options = DecodeOptions(target: target, part: part)
                let found = try Codecs.decode(data, options: options)
                let expected = try crop(whole.bitmap, to: part)
                #expect(found.bitmap == expected, "\(name), \(target), \(part)")
                #expect(found.bitmap.isOpaque == expected.isOpaque, "\(name), \(part)")
            }
        }
    }

    @Test(arguments: Fixture.understood)
    func `a part has the pixels of the whole`(fixture: Fixture) throws {
        try check(
            fixture.data,
            fixture.name,
            [
                .full, .fit(PixelSize(width: 20, height: 20)), .fit(PixelSize(width: 9, height: 9)),
                .exact(PixelSize(width: 90, height: 20)),
            ]
        )
    }

    @Test(arguments: ["exif6.jpg", "rgba8.png", "rgb24.bmp", "still.gif"])
    func `of a part that reaches beyond the image the rest is cropped`(name: String) throws {
        let data = try Fixture(name: name).data
        for target in [DecodeOptions.Target.full, .fit(PixelSize(width: 20, height: 20))] {
            let whole = try Codecs.decode(data, options: DecodeOptions(target: target)).bitmap
            let beyond = [
                PixelRect(x: whole.width - 2, y: 0, width: 9, height: 3),
                PixelRect(x: -3, y: whole.height - 1, width: 9, height: 9),
                PixelRect(x: 0, y: 0, width: .max, height: .max),
            ]
            for part in beyond {
                let options = DecodeOptions(target: target, part: part)
                #expect(try Codecs.decode(data, options: options).bitmap == crop(whole, to: part))
            }
            for part in [
                PixelRect(x: whole.width, y: 0, width: 5, height: 5),
                PixelRect(x: .max, y: .min, width: 5, height: .max),
                PixelRect(x: 1, y: 1, width: 0, height: -5),
            ] {
                let options = DecodeOptions(target: target, part: part)
                #expect(throws: CodecError.self) { try Codecs.decode(data, options: options) }
            }
        }
    }

    @Test(arguments: [(true, false), (false, false), (true, true), (false, true)])
    func `a part of a larger JPEG has the pixels of the whole`(
        hasFullChroma: Bool,
        isProgressive: Bool
    ) throws {
        let size = PixelSize(width: 301, height: 203)
        let bitmap = try Bitmap(size: size, isOpaque: true) { out, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let pixel = out + y * bytesPerRow + x * 4
                    pixel[0] = UInt8(truncatingIfNeeded: x &* 7 ^ y &* 13)
                    pixel[1] = UInt8(truncatingIfNeeded: x &* y)
                    pixel[2] = UInt8(truncatingIfNeeded: x / 3 &+ y &* 5)
                    pixel[3] = 255
                }
            }
        }
        var options = EncodeOptions()
        options.isProgressive = isProgressive
        options.quality = hasFullChroma ? 0.95 : 0.75
        let data = try Codecs.encode(bitmap, as: .jpeg, options: options)
        let widths = [301, 150, 100, 75, 37, 12]
        try check(
            data,
            "\(hasFullChroma) \(isProgressive)",
            widths.map { .fit(PixelSize(width: $0, height: $0)) }
        )
    }

    @Test func `rows below a part are not read`() throws {
        for name in ["baseline.jpg", "rgb8.png"] {
            let data = try Fixture(name: name).data
            let size = try Codecs.inspect(data).displaySize
            let cut = data.prefix(data.count * 9 / 10)
            #expect(throws: CodecError.self) { try Codecs.decode(cut) }
            let part = PixelRect(x: 0, y: 0, width: size.width, height: 1)
            let found = try Codecs.decode(cut, options: DecodeOptions(part: part)).bitmap
            #expect(try found == crop(Codecs.decode(data).bitmap, to: part), "\(name)")
        }
    }
}
