import Foundation
import Testing

@testable import Codecs

/// Exif and XMP of AVIF, HEIF and JPEG XL.
struct BoxMetadataTests {
    private static let parts = FileMetadata(exif: MetadataSample.exif(), xmp: MetadataSample.xmp)

    /// A JPEG XL in a container, with boxes for the parts behind the pixels.
    private static func photoJXL() throws -> Data {
        func box(_ name: String, _ content: Data) -> Data {
            var box = Data()
            box.append(number: content.count + 8, bytes: 4)
            return box + Data(name.utf8) + content
        }
        let exif = box("Exif", Data(count: 4) + MetadataSample.exif())
        return try Fixture(name: "lossy-container.jxl").data + exif
            + box("xml ", MetadataSample.xmp)
    }

    private static func photo(_ name: String) throws -> Data {
        guard name != "jxl" else { return try photoJXL() }
        return try parts.written(to: Fixture(name: name).data)
    }

    private static func heif(_ name: String) throws -> Data {
        try Fixture(name: name).data.withBytes { bytes throws(CodecError) in
            try AVIFMetadata.written(parts, to: bytes)
        }
    }

    @Test func `the parts are read`() throws {
        for file in [
            try Self.photo("420.avif"), try Self.photo("alpha.avif"), try Self.photoJXL(),
            try Self.heif("420.heic"), try Self.heif("alpha.heic"),
        ] {
            #expect(try FileMetadata(of: file) == Self.parts)
        }
    }

    @Test(arguments: ["turned.heic", "mirrored.heic"])
    func `the Exif that libheif has written is read`(name: String) throws {
        let exif = try #require(try FileMetadata(of: Fixture(name: name).data).exif)
        #expect(ExifBlock(exif) != nil)
    }

    @Test func `files without parts have none`() throws {
        for name in ["420.avif", "animated.avif", "420.heic", "lossy.jxl", "lossy-container.jxl"] {
            #expect(try FileMetadata(of: Fixture(name: name).data).isEmpty)
            #expect(try MetadataRemoval.withoutPosition(Fixture(name: name).data) == nil)
        }
    }

    @Test func `parts of another image are not those of the image`() throws {
        var file = try Self.photo("420.avif")
        var start = file.startIndex
        while let range = file[start...].firstRange(of: Data("cdsc".utf8)) {
            // Behind the number of the item, and the count, comes the item that it describes.
            file.replaceSubrange(range.upperBound + 4..<range.upperBound + 6, with: [0, 77])
            start = range.upperBound
        }
        #expect(try FileMetadata(of: file).isEmpty)
        // They lose their position all the same, and are not taken for bare.
        let changed = try #require(try MetadataRemoval.withoutPosition(file))
        #expect(!changed.contains(MetadataSample.place))
        #expect(throws: CodecError.unsupported(.avif, feature: "removing metadata")) {
            try MetadataRemoval.reduced(file, to: [])
        }
    }

    @Test(arguments: ["420.avif", "jxl"])
    func `the position is removed in place, and nothing else changes`(name: String) throws {
        let file = try Self.photo(name)
        let changed = try #require(try MetadataRemoval.withoutPosition(file))
        #expect(changed.count == file.count)
        #expect(!changed.contains(MetadataSample.place) && !changed.contains("51,30.5N"))
        let parts = try FileMetadata(of: changed)
        #expect(parts.exif?.contains(MetadataSample.camera) == true)
        #expect(parts.xmp?.contains("Rita Recht") == true)
        #expect(try MetadataRemoval.withoutPosition(changed) == nil)
        guard name != "jxl" else { return }
        #expect(try Codecs.decode(changed).bitmap == Codecs.decode(file).bitmap)
    }

    @Test func `compressed parts of a JPEG XL are named`() throws {
        let file = try Fixture(name: "lossy-exif6.jxl").data
        #expect(throws: CodecError.unsupported(.jxl, feature: "compressed metadata")) {
            try FileMetadata(of: file)
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["420.avif", "jxl"])
    func `prefixes and damaged files are read without a fault`(name: String) throws {
        let whole = try Self.photo(name)
        var random = SplitMix64(seed: 41)
        for round in 0..<3000 {
            var damaged = whole
            if round % 4 == 0 {
                damaged = damaged.prefix(Int(random.next() % UInt64(whole.count)))
            }
            for _ in 0...random.next() % 4 where !damaged.isEmpty {
                let place = Int(random.next() % UInt64(min(700, damaged.count)))
                damaged[place] = [0, 1, 8, 0x7F, 0x80, 0xFF][Int(random.next() % 6)]
            }
            _ = try? FileMetadata(of: damaged)
            if let changed = try? MetadataRemoval.withoutPosition(damaged) {
                #expect(changed.count == damaged.count)
            }
        }
    }
}
