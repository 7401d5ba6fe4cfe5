import CKFCodecShims
import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Exif and XMP as items of an AVIF.
struct AVIFMetadataTests {
    private static let parts = FileMetadata(exif: MetadataSample.exif(), xmp: MetadataSample.xmp)

    private static func bitmap(isOpaque: Bool) throws -> Bitmap {
        let size = PixelSize(width: 40, height: 30)
        return try Bitmap(size, isOpaque: isOpaque) { x, y in
            RGBA(red: UInt8(x * 5), green: UInt8(y * 6), blue: 90, alpha: isOpaque ? 255 : UInt8(x))
        }
    }

    /// The parts that libavif finds in a file.
    private static func found(_ file: Data) throws -> FileMetadata {
        let avif = try AVIFLibrary.load()
        let decoder = try #require(avif.avifDecoderCreate())
        defer { avif.avifDecoderDestroy(decoder) }
        return try file.withUnsafeBytes { bytes in
            let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            try #require(avif.avifDecoderSetIOMemory(decoder, base, bytes.count) == AVIF_RESULT_OK)
            try #require(avif.avifDecoderParse(decoder) == AVIF_RESULT_OK)
            var (exif, xmp) = (avifRWData(), avifRWData())
            kf_avif_metadata(decoder.pointee.image, &exif, &xmp)
            return FileMetadata(
                exif: exif.data.map { Data(bytes: $0, count: exif.size) },
                xmp: xmp.data.map { Data(bytes: $0, count: xmp.size) }
            )
        }
    }

    @Test(arguments: [true, false])
    func `libavif reads the parts, and the pixels stay`(isOpaque: Bool) throws {
        let plain = try Codecs.encode(Self.bitmap(isOpaque: isOpaque), as: .avif)
        for parts in [
            Self.parts, FileMetadata(exif: Self.parts.exif), FileMetadata(xmp: Self.parts.xmp),
        ] {
            let file = try parts.written(to: plain)
            #expect(try Self.found(file) == parts)
            #expect(try Codecs.decode(file).bitmap == Codecs.decode(plain).bitmap)
            // The profile and IPTC have no place.
            var more = parts
            (more.profile, more.iptc) = (Data(count: 200), Data(count: 20))
            #expect(try more.written(to: plain) == file)
        }
        #expect(try FileMetadata().written(to: plain) == plain)
    }

    @Test(arguments: Fixture.all("avif"))
    func `other files keep their pixels, or are refused`(fixture: Fixture) throws {
        let plain = try fixture.data
        let file: Data
        do throws(CodecError) {
            file = try Self.parts.written(to: plain)
        } catch {
            #expect(error == .unsupported(.avif, feature: "adding metadata to this file"))
            return
        }
        #expect(try Codecs.decode(file).bitmap == Codecs.decode(plain).bitmap)
        #expect(try Self.found(file) == Self.parts)
    }

    @Test(arguments: [(0xFFFD, true), (0xFFFE, false)])
    func `a file without numbers for two items is refused`(number: Int, fits: Bool) throws {
        var file = try Codecs.encode(Self.bitmap(isOpaque: true), as: .avif)
        let place = try #require(file.range(of: Data("infe".utf8))).upperBound + 4
        (file[place], file[place + 1]) = (UInt8(number >> 8), UInt8(number & 0xFF))
        if fits {
            #expect(try Self.parts.written(to: file).count > file.count)
        } else {
            #expect(
                throws: CodecError.unsupported(.avif, feature: "adding metadata to this file")
            ) { try Self.parts.written(to: file) }
        }
    }

    @Test func `a file that has metadata gets no second one`() throws {
        let plain = try Codecs.encode(Self.bitmap(isOpaque: true), as: .avif)
        let file = try Self.parts.written(to: plain)
        #expect(throws: CodecError.unsupported(.avif, feature: "adding metadata to this file")) {
            try Self.parts.written(to: file)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `damaged files are refused, or written without a fault`() throws {
        let plain = try Codecs.encode(Self.bitmap(isOpaque: false), as: .avif)
        var random = SplitMix64(seed: 6)
        for round in 0..<3000 {
            let damaged = MetadataSample.damaged(plain, round: round, reach: 600, by: &random)
            _ = try? Self.parts.written(to: damaged)
        }
    }
}
