import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Encoded files are decoded again.
struct EncodingTests {
    @Test func `PNG keeps every pixel`() throws {
        for name in ["rgb8.png", "rgba8.png", "grey8.png", "palette8-clear.png"] {
            let bitmap = try Codecs.decode(Fixture(name: name).data).bitmap
            let data = try Codecs.encode(bitmap, as: .png)
            #expect(try Codecs.decode(data).bitmap == bitmap)
        }
    }

    @Test func `PNG stores as few channels as hold the image`() throws {
        let type = { (name: String) in
            let bitmap = try Codecs.decode(Fixture(name: name).data).bitmap
            // Byte 25 is the colour type.
            return try [UInt8](Codecs.encode(bitmap, as: .png))[25]
        }
        #expect(try type("grey8.png") == 0)
        #expect(try type("rgb8.png") == 2)
        #expect(try type("rgba8.png") == 6)
        #expect(try type("greya8.png") == 4)
    }

    @Test func `JPEG stores one channel of a grey image`() throws {
        for (name, channels) in [("grey8.png", 1), ("greya8.png", 1), ("rgb8.png", 3)] {
            let bitmap = try Codecs.decode(Fixture(name: name).data).bitmap
            for quality in [0.5, 1] {
                let options = EncodeOptions(quality: quality)
                let file = try [UInt8](Codecs.encode(bitmap, as: .jpeg, options: options))
                // The number of components follows the size in the frame header (T.81, B.2.2).
                let start = try #require(file.firstRange(of: [0xFF, 0xC0])).lowerBound
                #expect(file[start + 9] == channels, "\(name)")
                #expect(try Codecs.decode(Data(file)).bitmap.size == bitmap.size)
            }
        }
    }

    @Test func `PNG keeps drawings as they are and filters photographs`() throws {
        let drawing = try Self.letters()
        let photo = try resample(
            Codecs.decode(Fixture(name: "444.jpg").data).bitmap,
            to: drawing.size
        )
        #expect(try PNGRowWriter(drawing, .rgb).areBetterPlain())
        #expect(try !PNGRowWriter(photo, .rgb).areBetterPlain())
        for bitmap in [drawing, photo] {
            #expect(try Codecs.decode(Codecs.encode(bitmap, as: .png)).bitmap == bitmap)
        }
    }

    @Test func `photographs are compressed by runs and drawings by matches`() throws {
        for (bitmap, expected) in try [
            (Self.noise(), PNGCompression.runs), (Self.letters(), .filtered),
        ] {
            let rows = try PNGRowWriter(bitmap, .rgb)
            var bytes = [UInt8](repeating: 0, count: rows.rowBytes * bitmap.height)
            rows.writeFiltered(0..<bitmap.height, to: &bytes)
            let compression = try PNGCompression(
                sampling: bytes,
                rowBytes: rows.rowBytes,
                groups: rows.sample(groups: 4)
            )
            #expect(compression == expected)
            let file = try Codecs.encode(bitmap, as: .png)
            #expect(try Codecs.decode(file).bitmap == bitmap)
        }
    }

    /// Resembles a filtered photograph: mostly small differences that never repeat.
    private static func noise() throws -> Bitmap {
        var random = SplitMix64(seed: 3)
        let size = PixelSize(width: 200, height: 150)
        return try Bitmap(size: size, isOpaque: true) { pixels, bytesPerRow in
            for index in 0..<bytesPerRow * size.height {
                let rough = (0..<4).reduce(UInt64(0)) { sum, _ in sum + random.next() % 8 }
                let smooth = UInt64(index % bytesPerRow / 8)
                pixels[index] = index % 4 == 3 ? 255 : UInt8(rough + smooth)
            }
        }
    }

    @Test func `rows are filtered the same in one run and in several`() throws {
        let bitmap = try Codecs.decode(Fixture(name: "rgb8.png").data).bitmap
        let rows = try PNGRowWriter(bitmap, .rgb)
        var whole = [UInt8](repeating: 0, count: rows.rowBytes * bitmap.height)
        var parts = whole
        rows.writeFiltered(0..<bitmap.height, to: &whole)
        parts.withUnsafeMutableBufferPointer { parts in
            guard let base = parts.baseAddress else { return }
            for start in [7, 0] {
                let end = start == 0 ? 7 : bitmap.height
                rows.writeFiltered(start..<end, to: base + start * rows.rowBytes)
            }
        }
        #expect(whole == parts)
    }

    /// Lines of text with an alphabet of forty letters, dark on white.
    private static func letters() throws -> Bitmap {
        var random = SplitMix64(seed: 7)
        let letters = (0..<40).map { _ in random.next() & 0x3F3F_3F3F_3F3F_3F3F }
        let size = PixelSize(width: 512, height: 384)
        let text = (0..<64 * 32).map { _ in letters[Int(random.next() % 40)] }
        return try Bitmap(size: size, isOpaque: true) { pixels, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let letter = text[y / 12 * 64 + x / 8]
                    let isInked = y % 12 < 8 && letter >> UInt64(y % 12 * 8 + x % 8) & 1 == 1
                    let pixel = pixels + y * bytesPerRow + x * 4
                    for channel in 0..<3 { pixel[channel] = isInked ? 30 : 255 }
                    pixel[3] = 255
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `JPEG is close at high quality`(isProgressive: Bool) throws {
        let fixture = Fixture(name: "baseline.jpg")
        let bitmap = try Codecs.decode(fixture.data).bitmap
        let options = EncodeOptions(quality: 0.95, isProgressive: isProgressive)
        let data = try Codecs.encode(bitmap, as: .jpeg, options: options)
        let again = try Codecs.decode(data)
        #expect(again.info.isProgressive == isProgressive)
        #expect(try fixture.expected.difference(to: again.bitmap).mean < 2.5)
        let low = try Codecs.encode(bitmap, as: .jpeg, options: EncodeOptions(quality: 0.2))
        #expect(low.count < data.count / 2)
    }

    @Test func `transparent pixels become white in JPEG`() throws {
        let size = PixelSize(width: 16, height: 16)
        let clear = try Bitmap(size: size, isOpaque: false) { _, _ in }
        let data = try Codecs.encode(clear, as: .jpeg)
        #expect(try Codecs.decode(data).bitmap[8, 8] == .white)
    }

    @Test func `an image of one pixel survives`() throws {
        let size = PixelSize(width: 1, height: 1)
        let bitmap = try Bitmap(size: size, isOpaque: true) { pixels, _ in
            for (offset, value) in [UInt8(10), 20, 30, 255].enumerated() { pixels[offset] = value }
        }
        #expect(try Codecs.decode(Codecs.encode(bitmap, as: .png)).bitmap == bitmap)
        #expect(try Codecs.decode(Codecs.encode(bitmap, as: .jpeg)).bitmap.size == size)
    }

    @Test(arguments: [FileFormat.jpeg, .png, .gif, .webp, .avif, .jxl])
    func `a format is written exactly where no library is missing`(format: FileFormat) throws {
        let pixel = try Bitmap(PixelSize(width: 1, height: 1), isOpaque: true) { _, _ in .white }
        let isWritten = (try? Codecs.encode(pixel, as: format)) != nil
        #expect(isWritten == (Codecs.missingLibrary(for: format) == nil))
    }

    /// libaom writes larger ones, but no decoder reads them.
    @Test func `AVIF is refused above the largest frame of its levels`() throws {
        let bitmap = try Bitmap(size: PixelSize(width: 5972, height: 5972), isOpaque: true) {
            _,
            _ in
        }
        #expect(throws: CodecError.self) {
            try Codecs.encode(bitmap, as: .avif, options: EncodeOptions())
        }
    }

    @Test(arguments: ["rgb8.png", "rgba8.png", "baseline.jpg"])
    func `a PNG that is made quickly has the same pixels`(name: String) throws {
        let bitmap = try Codecs.decode(Fixture(name: name).data).bitmap
        let quick = try Codecs.encode(bitmap, as: .png, options: EncodeOptions(effort: 0))
        #expect(try Codecs.decode(quick).bitmap == bitmap)
    }

    @Test(arguments: [FileFormat.webp, .avif])
    func `lossless means every pixel`(format: FileFormat) throws {
        let options = EncodeOptions(isLossless: true)
        for name in ["rgb8.png", "rgba8.png"] {
            let bitmap = try Codecs.decode(Fixture(name: name).data).bitmap
            let data = try Codecs.encode(bitmap, as: format, options: options)
            let again = try Codecs.decode(data)
            #expect(again.bitmap == bitmap, "\(name)")
            #expect(again.info.format == format)
        }
    }

    @Test(arguments: [FileFormat.webp, .avif])
    func `lossy is close and gets smaller with quality`(format: FileFormat) throws {
        let fixture = Fixture(name: "lossy-alpha.webp")
        let bitmap = try Codecs.decode(fixture.data).bitmap
        let high = try Codecs.encode(bitmap, as: format, options: EncodeOptions(quality: 0.9))
        #expect(try fixture.expected.difference(to: Codecs.decode(high).bitmap).mean < 4)
        let low = try Codecs.encode(bitmap, as: format, options: EncodeOptions(quality: 0.1))
        #expect(low.count < high.count)
    }

    @Test(arguments: [1, 0.8])
    func `a WebP of few colours is exact where this is smaller`(quality: Double) throws {
        let colors = [
            RGBA(red: 250, green: 30, blue: 20), RGBA(red: 10, green: 200, blue: 40),
            RGBA(red: 30, green: 40, blue: 220), RGBA(red: 255, green: 255, blue: 255),
        ]
        let size = PixelSize(width: 32, height: 32)
        let drawing = try Bitmap(size, isOpaque: true) { x, y in colors[x * y / 3 % 4] }
        let options = EncodeOptions(quality: quality)
        let file = try Codecs.encode(drawing, as: .webp, options: options)
        #expect(try Codecs.decode(file).bitmap == drawing)
        let exact = EncodeOptions(isLossless: true)
        #expect(try file.count <= Codecs.encode(drawing, as: .webp, options: exact).count)
        let photo = try Codecs.decode(Fixture(name: "baseline.jpg").data).bitmap
        #expect(try Codecs.encode(photo, as: .webp, options: options).contains("VP8 ".utf8))
    }

    @Test func `frames of few colours of a WebP are exact where this is smaller`() throws {
        func animation(_ frames: [Bitmap], _ options: EncodeOptions) throws -> Data {
            try Codecs.encodeAnimation(
                of: frames[0].size,
                frameCount: frames.count,
                loopCount: 0,
                as: .webp,
                options: options
            ) { AnimationFrame(bitmap: frames[$0], delay: 0.1) }
        }
        let size = PixelSize(width: 64, height: 48)
        let drawings = try (0..<4).map { step in
            try Bitmap(size, isOpaque: true) { x, y in
                (x + 8 * step) / 16 % 2 == y / 12 % 2
                    ? RGBA(red: 250, green: 30, blue: 20) : RGBA(red: 30, green: 40, blue: 220)
            }
        }
        let file = try animation(drawings, EncodeOptions(quality: 0.8))
        let decoder = try FrameDecoder(file)
        for (index, drawing) in drawings.enumerated() {
            #expect(try decoder.frame(at: index) == drawing, "frame \(index)")
        }
        let photo = try Codecs.decode(Fixture(name: "baseline.jpg").data).bitmap
        let photos = try [photo, resample(photo, to: PixelSize(width: 10, height: 10))].map {
            try resample($0, to: photo.size)
        }
        #expect(try animation(photos, EncodeOptions(quality: 0.8)).contains("VP8 ".utf8))
    }

    @Test(arguments: [(0.94, 3), (0.95, 0), (1, 0)])
    func `an AVIF of high quality has all samples of colour`(
        quality: Double,
        subsampling: UInt8
    ) throws {
        let photo = try Codecs.decode(Fixture(name: "baseline.jpg").data).bitmap
        func samples(_ options: EncodeOptions) throws -> UInt8 {
            let file = try Codecs.encode(photo, as: .avif, options: options)
            // The third byte of the box has a bit for each direction (AV1-ISOBMFF, 2.3.3).
            let box = try #require(file.range(of: Data("av1C".utf8)))
            return file[box.upperBound + 2] >> 2 & 3
        }
        #expect(try samples(EncodeOptions(quality: quality)) == subsampling)
        #expect(try samples(EncodeOptions(quality: quality, subsamplesChroma: true)) == 3)
    }

    @Test func `GIF keeps up to 256 colours and comes close with more`() throws {
        let few = try Codecs.decode(Fixture(name: "palette4.png").data).bitmap
        #expect(try Codecs.decode(Codecs.encode(few, as: .gif)).bitmap == few)
        let photo = Fixture(name: "baseline.jpg")
        let data = try Codecs.encode(Codecs.decode(photo.data).bitmap, as: .gif)
        #expect(try photo.expected.difference(to: Codecs.decode(data).bitmap).mean < 5)
    }

    @Test(arguments: ["animated.webp", "animated-clear.webp", "animated.gif"])
    func `an animation survives`(name: String) throws {
        let source = try FrameDecoder(Fixture(name: name).data)
        let frames = try (0..<source.frameCount).map {
            try AnimationFrame(bitmap: source.frame(at: $0), delay: source.delays[$0])
        }
        for format in [FileFormat.gif, .webp] {
            let options = EncodeOptions(isLossless: true)
            let data = try Codecs.encodeAnimation(
                of: source.size,
                frameCount: frames.count,
                loopCount: 3,
                as: format,
                options: options
            ) { frames[$0] }
            let again = try FrameDecoder(data)
            #expect(again.loopCount == 3)
            #expect(again.delays == source.delays)
            for index in 0..<min(again.frameCount, frames.count) where format == .webp {
                #expect(try again.frame(at: index) == frames[index].bitmap, "frame \(index)")
            }
        }
    }

    @Test func `an animation needs frames of one size`() throws {
        let frames = try [1, 2].map { side in
            let size = PixelSize(width: side, height: side)
            return try AnimationFrame(
                bitmap: Bitmap(size: size, isOpaque: false) { _, _ in },
                delay: 0.1
            )
        }
        let encode = { (count: Int, format: FileFormat) in
            let size = frames[0].bitmap.size
            return try Codecs.encodeAnimation(
                of: size,
                frameCount: count,
                loopCount: 0,
                as: format
            ) { frames[$0] }
        }
        for count in [0, 2] { #expect(throws: CodecError.self) { try encode(count, .gif) } }
        #expect(throws: CodecError.unsupported(.jpeg, feature: "encoding an animation")) {
            try encode(1, .jpeg)
        }
    }

    @Test func `formats that are only read are refused`() throws {
        let size = PixelSize(width: 1, height: 1)
        let bitmap = try Bitmap(size: size, isOpaque: false) { _, _ in }
        #expect(throws: CodecError.unsupported(.bmp, feature: "encoding")) {
            try Codecs.encode(bitmap, as: .bmp)
        }
    }

    @Test func `an animation that does not cover its canvas has alpha as WebP`() throws {
        let size = PixelSize(width: 40, height: 30)
        // Opaque pixels only in the left half, with another colour in each frame.
        let frames = try [50, 200].map { (red: UInt8) in
            let bitmap = try Bitmap(size: size, isOpaque: false) { pixels, bytesPerRow in
                for y in 0..<size.height {
                    for x in 0..<size.width / 2 {
                        pixels[y * bytesPerRow + x * 4] = red
                        pixels[y * bytesPerRow + x * 4 + 3] = 255
                    }
                }
            }
            return AnimationFrame(bitmap: bitmap, delay: 0.2)
        }
        let file = try Codecs.encodeAnimation(of: size, frameCount: 2, loopCount: 0, as: .webp) {
            frames[$0]
        }
        #expect(try Codecs.inspect(file).hasAlpha)
        let decoder = try FrameDecoder(file)
        #expect(try decoder.frame(at: 1)[39, 0] == .clear)
        #expect(try decoder.frame(at: 1)[0, 0].alpha == 255)
    }
}
