import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Exif, XMP and IPTC of TIFF.
struct TIFFMetadataTests {
    /// A photograph's directories, and XMP and IPTC as entries of the first one.
    private static func photo(_ order: ByteReader.Endianness) -> Data {
        typealias Sample = MetadataSample
        let details = 8 + Sample.directoryBytes(8)
        let position = details + Sample.directoryBytes(3)
        let bytes = { (tag: Int, content: Data) in
            Sample.Entry(tag: tag, type: 1, count: content.count, value: 0, text: Array(content))
        }
        return Sample.block(
            [
                (
                    [
                        .short(0x0100, 640), .text(0x010F, Sample.camera), .short(0x0112, 6),
                        bytes(0x02BC, Sample.xmp), .text(0x8298, Sample.rights),
                        bytes(0x83BB, Sample.iptc), .long(0x8769, details),
                        .long(0x8825, position),
                    ], 0
                ),
                (
                    [
                        .text(0x9003, "2024:05:06 07:08:09"), .text(0x927C, "MAKER NOTE"),
                        .long(0xA002, 640),
                    ], 0
                ),
                ([.text(0x001B, Sample.place)], 0),
            ],
            texts: position + Sample.directoryBytes(1),
            order
        )
    }

    @Test(arguments: [(1_000, true), (1_001, false)])
    func `a directory of a thousand entries is read`(count: Int, isRead: Bool) throws {
        typealias Sample = MetadataSample
        let entries =
            [Sample.Entry.text(0x010F, Sample.camera)]
            + (1..<count).map { _ in .short(0x0100, 1) }
        let file = Sample.block([(entries, 0)], texts: 8 + Sample.directoryBytes(count))
        let camera = try? FileMetadata(of: file).facts.camera
        #expect(camera == (isRead ? Sample.camera : nil))
    }

    @Test(arguments: [ByteReader.Endianness.little, .big])
    func `the parts are read, and a JPEG takes them`(order: ByteReader.Endianness) throws {
        let parts = try FileMetadata(of: Self.photo(order))
        #expect(parts.xmp == MetadataSample.xmp)
        #expect(parts.iptc == MetadataSample.iptc)
        #expect(parts.facts.date == "2024:05:06 07:08:09")
        #expect(parts.facts.camera == MetadataSample.camera)
        let exif = try #require(parts.exif)
        #expect(exif.contains(MetadataSample.place) && !exif.contains("MAKER NOTE"))
        #expect(exif.withUnsafeBytes { EXIFOrientation.parse($0) }.rawValue == 6)
        // The tags of the pixels stay behind.
        #expect(exif.count < 300)
        let file = try Fixture(name: "baseline.jpg").data
        let written = try FileMetadata(of: parts.written(to: file))
        #expect(written == parts)
        let reduced = parts.reduced(to: [.date, .copyright])
        #expect(reduced.facts.date == "2024:05:06 07:08:09")
        #expect(reduced.exif?.contains(MetadataSample.rights) == true)
        #expect(reduced.exif?.contains(MetadataSample.place) == false)
        #expect(parts.reduced(to: .exif).exif?.contains(MetadataSample.place) == false)
    }

    @Test func `a file of libtiff is read`() throws {
        let parts = try FileMetadata(of: Fixture(name: "exif6.tiff").data)
        let exif = try #require(parts.exif)
        #expect(ExifBlock(exif) != nil)
        #expect(exif.withUnsafeBytes { EXIFOrientation.parse($0) }.rawValue == 6)
    }

    @Test func `metadata is not removed from the file, and an error says so`() throws {
        let error = CodecError.unsupported(.tiff, feature: "removing metadata")
        let file = Self.photo(.little)
        #expect(throws: error) { try MetadataRemoval.withoutPosition(file) }
        #expect(throws: error) { try MetadataRemoval.reduced(file, to: []) }
        let plain = try Fixture(name: "grey.tiff").data
        #expect(try MetadataRemoval.withoutPosition(plain) == nil)
        #expect(try MetadataRemoval.reduced(plain, to: []) == plain)
        // A second image may have some.
        let second = MetadataSample.block([([.short(0x0100, 1)], 8)], texts: 26)
        #expect(throws: error) { try MetadataRemoval.withoutPosition(second) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `entries that are all the same megabyte make no block`() throws {
        let texts = 8 + MetadataSample.directoryBytes(1000)
        var file = MetadataSample.block(
            [
                (
                    (0..<1000).map { _ in
                        MetadataSample.Entry(tag: 0x010E, type: 2, count: 1 << 20, value: texts)
                    }, 0
                )
            ],
            texts: texts
        )
        file.append(Data(repeating: 65, count: 1 << 20))
        #expect(try FileMetadata(of: file).exif == nil)
    }

    @Test(.timeLimit(.minutes(1))) func `damaged files are read without a fault`() {
        var random = SplitMix64(seed: 38)
        let files = [Self.photo(.little), Self.photo(.big)]
        for round in 0..<4_000 {
            let file = files[round % 2]
            let damaged = MetadataSample.damaged(file, round: round, reach: 400, by: &random)
            // Errors are as good as results.
            let parts = try? FileMetadata(of: damaged)
            _ = parts?.facts
            _ = parts?.reduced(to: [.date, .copyright])
            _ = try? MetadataRemoval.withoutPosition(damaged)
        }
    }
}
