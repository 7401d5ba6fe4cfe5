import CKFCodecShims
import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Formats whose libraries are loaded when they are needed: decoded with them, and refused by their
/// names without.
struct OptionalDecoderTests {
    @Test(
        arguments: [
            (.jxl, "lossless.jxl"), (.heif, "420.heic"), (.tiff, "lzw.tiff"), (.svg, "sized.svg"),
        ] as [(FileFormat, String)]
    )
    func `a format is read if its library is installed, and refused by its name if not`(
        format: FileFormat,
        name: String
    ) throws {
        let data = try Fixture(name: name).data
        #expect(Codecs.format(of: data) == format)
        if Fixture.has(format) {
            #expect(try Codecs.decode(data).info.format == format)
            return
        }
        let error = #expect(throws: CodecError.self) { try Codecs.decode(data) }
        #expect(throws: CodecError.self) { try Codecs.inspect(data) }
        guard case .missingLibrary(format, let name) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(name.contains("(package lib"))
    }

    /// The loader of libraries finds nothing in a file that is not theirs, and in none.
    @Test func `a library that is not installed, or another one, is not taken for it`() {
        #expect(Self.loads("libnone-such.so.1") == 0)
        #expect(Self.loads("libpng16.so.16") == 0)
    }

    private static func loads(_ name: String) -> Int32 {
        name.withCString { file in
            var files: [UnsafePointer<CChar>?] = [file, nil]
            return kf_library_load(&files) { library in
                dlsym(library, "heif_context_alloc") == nil ? 0 : 1
            }
        }
    }

    @Test(.enabled(if: Fixture.has(.svg)))
    func `a drawing is rendered at the target and not scaled afterwards`() throws {
        let data = try Fixture(name: "sized.svg").data
        let size = PixelSize(width: 400, height: 300)
        let options = DecodeOptions(target: .exact(size))
        let large = try Codecs.decode(data, options: options).bitmap
        #expect(large.size == size)
        // On both sides of the circle's edge, 10 × 10 pixels per unit of the drawing: sharp.
        #expect(large[252, 150] == large[340, 20])
        #expect(large[247, 150] == large[150, 150])
        #expect(large[247, 150] != large[252, 150])
    }

    @Test(.enabled(if: Fixture.has(.svg)))
    func `a drawing may name any size, but limits hold for the rendering`() throws {
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="900000" height="900000">\
            <rect width="900000" height="900000" fill="red"/></svg>
            """
        let data = Data(text.utf8)
        #expect(throws: CodecError.limitExceeded(.dimension, value: 900_000, allowed: 32_767)) {
            try Codecs.decode(data)
        }
        let box = PixelSize(width: 30, height: 30)
        let image = try Codecs.decode(data, options: DecodeOptions(target: .fit(box)))
        #expect(image.bitmap.size == box)
        #expect(image.bitmap[15, 15] == RGBA(red: 255, green: 0, blue: 0, alpha: 255))
    }

    @Test(.enabled(if: Fixture.has(.svg)))
    func `a drawing reads no other file`() throws {
        let other = Fixture.folder.appendingPathComponent("rgb8.png").absoluteString
        let text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">\
            <image href="\(other)" width="9" height="9"/></svg>
            """
        #expect(try Codecs.decode(Data(text.utf8)).bitmap[4, 4] == .clear)
    }

    @Test(.enabled(if: Fixture.has(.svg)), .timeLimit(.minutes(1)))
    func `a drawing that multiplies itself is refused`() throws {
        var text = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><defs>"
        text += "<g id='a0'><rect width='1' height='1'/></g>"
        for level in 1...12 {
            let uses = String(repeating: "<use href='#a\(level - 1)'/>", count: 20)
            text += "<g id='a\(level)'>\(uses)</g>"
        }
        text += "</defs><use href='#a12'/></svg>"
        #expect(throws: CodecError.self) { try Codecs.decode(Data(text.utf8)) }
    }

    @Test(.enabled(if: Fixture.has(.jxl)))
    func `truncated JPEG XL gives the decoded part`() throws {
        let data = try Fixture(name: "lossy.jxl").data
        let part = data.prefix(data.count * 3 / 4)
        #expect(throws: CodecError.truncated(.jxl)) { try Codecs.decode(part) }
    }

    @Test(.enabled(if: Fixture.has(.jxl)))
    func `JPEG XL beyond the working memory is refused`() throws {
        var limits = DecodeLimits.default
        limits.maxWorkingBytes = 10_000
        let data = try Fixture(name: "lossy.jxl").data
        let error = #expect(throws: CodecError.self) {
            try Codecs.decode(data, options: DecodeOptions(limits: limits))
        }
        guard case .limitExceeded(.workingBytes, _, 10_000) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(.enabled(if: Fixture.has(.jxl)))
    func `lossless JPEG XL survives a round trip`() throws {
        for name in ["rgb8.png", "rgba8.png"] {
            let bitmap = try Codecs.decode(Fixture(name: name).data).bitmap
            let options = EncodeOptions(isLossless: true)
            let data = try Codecs.encode(bitmap, as: .jxl, options: options)
            let again = try Codecs.decode(data)
            #expect(again.bitmap == bitmap, "\(name)")
            #expect(again.info.format == .jxl)
        }
    }

    @Test(.enabled(if: Fixture.has(.jxl)))
    func `lossy JPEG XL is close, and smaller at a lower quality`() throws {
        let fixture = Fixture(name: "baseline.jpg")
        let bitmap = try Codecs.decode(fixture.data).bitmap
        let high = try Codecs.encode(bitmap, as: .jxl, options: EncodeOptions(quality: 0.95))
        #expect(try fixture.expected.difference(to: Codecs.decode(high).bitmap).mean < 2.5)
        let low = try Codecs.encode(bitmap, as: .jxl, options: EncodeOptions(quality: 0.2))
        #expect(low.count < high.count / 2)
    }

    /// libheif turns the pixels itself.
    ///
    /// `kf info` prints the orientation, and the service turns by it unless the URL has `ar:0`, which
    /// has no effect on HEIC. Both change if another one is reported.
    @Test(.enabled(if: Fixture.has(.heif)))
    func `HEIC is reported as upright, with its size after a turn`() throws {
        let file = try Fixture(name: "444.heic").data
        let plain = try Codecs.decode(file).bitmap
        #expect(plain.size == PixelSize(width: 67, height: 46))
        // A quarter turn to the right in place of the fifth property, and after the fourth.
        var data = file
        let property = try #require(data.firstRange(of: Data("pixi".utf8))).lowerBound
        data.replaceSubrange(
            property..<property + 12,
            with: Data("irot\u{3}".utf8) + Data(count: 7)
        )
        let order = try #require(data.firstRange(of: Data([0x81, 2, 3, 5, 0x84])))
        data.replaceSubrange(order, with: Data([0x81, 2, 3, 0x84, 5]))
        let image = try Codecs.decode(data)
        #expect(image.info.orientation == .up)
        #expect(image.info.storedSize == PixelSize(width: 46, height: 67))
        #expect(try Codecs.inspect(data) == image.info)
        #expect(image.bitmap[45, 0] == plain[0, 0])
        #expect(image.bitmap[0, 0] == plain[0, 45])
    }

    /// The orientation in Exif counts for nothing in HEIF.
    @Test(.enabled(if: Fixture.has(.heif)), arguments: ["turned.heic", "mirrored.heic"])
    func `HEIC is not turned by its Exif`(name: String) throws {
        let info = try Codecs.inspect(Fixture(name: name).data)
        #expect(info.orientation == .up)
        #expect(info.storedSize == PixelSize(width: 67, height: 46))
    }

    @Test(.enabled(if: Fixture.has(.heif)))
    func `libheif's report about unknown colours is freed`() async {
        // In a separate process, where no other test allocates memory meanwhile.
        await #expect(processExitsWith: .success) {
            let data = try Fixture(name: "code-points.heic").data
            // Make one-time allocations before the baseline.
            for _ in 0..<100 { _ = try Codecs.inspect(data) }
            let before = try Self.residentPages
            for _ in 0..<40_000 { _ = try Codecs.inspect(data) }
            let kept = try Self.residentPages - before
            // 52 bytes each were 600 pages.
            #expect(kept < 300)
        }
    }

    private static var residentPages: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            return try #require(Int(text.split(separator: " ")[1]))
        }
    }

    @Test(.enabled(if: Fixture.has(.tiff)))
    func `TIFF that claims more than allowed is refused`() throws {
        var data = try Fixture(name: "rgb16.tiff").data
        // The second half of the first two entries: width and height as 32-bit numbers.
        for entry in [10, 22] {
            data.replaceSubrange(entry + 8..<entry + 12, with: [0x60, 0xEA, 0, 0])
        }
        #expect(throws: CodecError.limitExceeded(.dimension, value: 60_000, allowed: 32_767)) {
            try Codecs.decode(data)
        }
    }
}
