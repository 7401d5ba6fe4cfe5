import Foundation
import Testing

@testable import KFCodecs

/// Exif and XMP of AVIF, HEIF and JPEG XL.
struct BoxMetadataTests {
    private static let parts = FileMetadata(exif: MetadataSample.exif(), xmp: MetadataSample.xmp)

    /// A JPEG XL in a container, with boxes for the parts after the pixels.
    private static func photoJXL() throws -> Data {
        let exif = box("Exif", Data(count: 4) + MetadataSample.exif())
        return try Fixture(name: "lossy-container.jxl").data + exif
            + box("xml ", MetadataSample.xmp)
    }

    private static func box(_ name: String, _ content: Data) -> Data {
        var box = Data()
        box.append(number: content.count + 8, bytes: 4)
        return box + Data(name.utf8) + content
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
        // They are removed all the same.
        let changed = try #require(try MetadataRemoval.withoutPosition(file))
        #expect(!changed.contains(MetadataSample.place))
        let bare = try MetadataRemoval.reduced(file, to: [])
        #expect(!bare.contains(MetadataSample.place) && !bare.contains("Rita"))
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

    @Test(.timeLimit(.minutes(1)))
    func `thousands of items that are the whole file are refused`() throws {
        let count = 4000
        var infos = Data([0, 0, 0, 0])
        var places = Data([0, 0, 0, 0, 0x44, 0])
        infos.append(number: count, bytes: 2)
        places.append(number: count, bytes: 2)
        let byteCount = 4 << 20
        for item in 1...count {
            var entry = Data([2, 0, 0, 0])
            entry.append(number: item, bytes: 2)
            infos += Self.box("infe", entry + Data("\0\0Exif\0".utf8))
            places.append(number: item, bytes: 2)
            // One piece: its offset and its length.
            for (number, bytes) in [(0, 2), (1, 2), (0, 4), (byteCount, 4)] {
                places.append(number: number, bytes: bytes)
            }
        }
        let meta = Self.box(
            "meta",
            Data(count: 4) + Self.box("iinf", infos) + Self.box("iloc", places)
        )
        var file = Self.box("ftyp", Data("avif\0\0\0\0avif".utf8)) + meta
        file += Self.box("mdat", Data(count: byteCount - file.count - 8))
        let error = CodecError.corrupt(.avif, detail: "items of its metadata overlap")
        #expect(throws: error) { try FileMetadata(of: file) }
        #expect(throws: error) { try MetadataRemoval.withoutPosition(file) }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["420.avif", "jxl"])
    func `prefixes and damaged files are read without a fault`(name: String) throws {
        let whole = try Self.photo(name)
        var random = SplitMix64(seed: 41)
        for round in 0..<3000 {
            let damaged = MetadataSample.damaged(whole, round: round, reach: 700, by: &random)
            _ = try? FileMetadata(of: damaged)
            if let changed = try? MetadataRemoval.withoutPosition(damaged) {
                #expect(changed.count == damaged.count)
            }
        }
    }
}
