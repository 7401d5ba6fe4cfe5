import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Metadata is removed from files whose pixels stay as they are.
struct MetadataRemovalTests {
    private static let names = ["baseline.jpg", "rgb8.png", "lossy.webp", "lossless.webp"]
    private static let files = names.filter { (try? Fixture(name: $0).data)?.isEmpty == false }

    private func photo(_ name: String, _ order: ByteReader.Endianness = .little) throws -> Data {
        let metadata = FileMetadata(
            exif: MetadataSample.exif(order),
            xmp: MetadataSample.xmp,
            iptc: MetadataSample.iptc
        )
        return try metadata.written(to: Fixture(name: name).data)
    }

    @Test(arguments: files, [ByteReader.Endianness.little, .big])
    func `the position is removed, and nothing else changes`(
        name: String,
        order: ByteReader.Endianness
    ) throws {
        let file = try photo(name, order)
        let changed = try #require(try MetadataRemoval.withoutPosition(file))
        #expect(changed.count == file.count)
        #expect(!changed.contains(MetadataSample.place) && !changed.contains("51,30.5N"))
        let parts = try FileMetadata(of: changed)
        #expect(parts.exif.flatMap(ExifBlock.init)?.copyright != nil)
        for text in [MetadataSample.camera, MetadataSample.artist, MetadataSample.thumbnail] {
            #expect(parts.exif?.contains(text) == true, "\(text)")
        }
        #expect(parts.xmp?.contains("Rita Recht") == true)
        #expect(parts.iptc == (name.hasSuffix("jpg") ? MetadataSample.iptc : nil))
        #expect(try Codecs.inspect(changed).orientation == Codecs.inspect(file).orientation)
        #expect(try Codecs.decode(changed).bitmap == Codecs.decode(file).bitmap)
        #expect(try MetadataRemoval.withoutPosition(changed) == nil)
    }

    @Test func `a file without a position needs no change`() throws {
        for name in Self.files + ["still.gif"] {
            #expect(try MetadataRemoval.withoutPosition(Fixture(name: name).data) == nil)
        }
    }

    @Test func `further images behind a photograph lose their positions, or are removed`() throws {
        let one = try photo("baseline.jpg")
        let two = one + one
        let changed = try #require(try MetadataRemoval.withoutPosition(two))
        #expect(changed.count == two.count && !changed.contains(MetadataSample.place))
        // Compressed pixels may look like a segment of another kind that contains the second.
        let apart = try Fixture(name: "baseline.jpg").data + [0xFF, 0x00, 0x00, 0x40] + one
        let other = try #require(try MetadataRemoval.withoutPosition(apart))
        #expect(other.count == apart.count && !other.contains(MetadataSample.place))
        let bare = try MetadataRemoval.reduced(two, to: [])
        #expect(bare.count < one.count)
        #expect(try Codecs.decode(bare).bitmap == Codecs.decode(one).bitmap)
    }

    @Test(arguments: files)
    func `all metadata is removed but the orientation`(name: String) throws {
        let file = try photo(name)
        let bare = try MetadataRemoval.reduced(file, to: [])
        let parts = try FileMetadata(of: bare)
        #expect(parts.xmp == nil && parts.iptc == nil)
        for text in [MetadataSample.camera, MetadataSample.artist, MetadataSample.place, "Rita"] {
            #expect(!bare.contains(text), "\(text)")
        }
        #expect(try Codecs.inspect(bare).orientation == Codecs.inspect(file).orientation)
        #expect(try Codecs.decode(bare).bitmap == Codecs.decode(file).bitmap)
    }

    @Test(arguments: files)
    func `some parts are kept`(name: String) throws {
        let file = try photo(name)
        let names = try MetadataRemoval.reduced(file, to: .copyright)
        #expect(names.contains(MetadataSample.artist) && !names.contains(MetadataSample.camera))
        let exif = try MetadataRemoval.reduced(file, to: .exif)
        #expect(exif.contains(MetadataSample.camera) && !exif.contains(MetadataSample.place))
        #expect(!exif.contains("Rita Recht"))
        let located = try MetadataRemoval.reduced(file, to: [.exif, .xmp, .position])
        #expect(located.contains(MetadataSample.place) && located.contains("51,30.5N"))
        for changed in [names, exif, located] {
            #expect(try Codecs.decode(changed).bitmap == Codecs.decode(file).bitmap)
        }
    }

    @Test func `dates of a photograph are kept`() throws {
        let details = 8 + MetadataSample.directoryBytes(2)
        let text = details + MetadataSample.directoryBytes(1)
        let exif = MetadataSample.block(
            [
                ([.short(0x0112, 6), .long(0x8769, details)], 0),
                ([.text(0x9003, "2024:05:06 07:08:09")], 0),
            ],
            texts: text
        )
        let kept = try #require(FileMetadata(exif: exif).reduced(to: .date).exif)
        #expect(kept.contains("2024:05:06 07:08:09"))
        #expect(kept.withUnsafeBytes { EXIFOrientation.parse($0) }.rawValue == 6)
        #expect(ExifBlock(kept) != nil)
        #expect(FileMetadata(exif: exif).reduced(to: .copyright).exif?.contains("2024") == false)
    }

    @Test func `place, date and camera of a photograph are read`() throws {
        let rationals = { (numbers: [Int]) -> [UInt8] in
            numbers.flatMap { Array(Data().appending(number: $0)) }
        }
        let gps = 8 + MetadataSample.directoryBytes(3)
        let texts = gps + MetadataSample.directoryBytes(4)
        let letter = { (tag: Int, letter: Character) in
            MetadataSample.Entry(
                tag: tag,
                type: 2,
                count: 2,
                value: Int(letter.asciiValue ?? 0)
            )
        }
        let angle = { (tag: Int, numbers: [Int]) in
            MetadataSample.Entry(
                tag: tag,
                type: 5,
                count: 3,
                value: 0,
                text: rationals(numbers)
            )
        }
        let exif = MetadataSample.block(
            [
                (
                    [
                        .text(0x010F, "Maker"), .text(0x0132, "2024:05:06 07:08:09"),
                        .long(0x8825, gps),
                    ], 0
                ),
                (
                    [
                        letter(1, "S"), angle(2, [51, 1, 30, 1, 2700, 100]), letter(3, "E"),
                        angle(4, [7, 1, 0, 0, 0, 0]),
                    ], 0
                ),
            ],
            texts: texts
        )
        let facts = FileMetadata(exif: exif).facts
        #expect(facts.date == "2024:05:06 07:08:09" && facts.camera == "Maker")
        #expect(abs((facts.position?.latitude ?? 0) + 51.5075) < 1e-9)
        #expect(facts.position?.longitude == 7)
        let moved = FileMetadata(exif: ExifBlock(exif)?.withoutPosition).facts
        #expect(moved.position == nil && moved.camera == "Maker")
    }

    @Test(arguments: [false, true])
    func `damaged metadata never stops the removal`(isTruncated: Bool) throws {
        let file = try photo("baseline.jpg")
        var random = SplitMix64(seed: 8)
        for _ in 0..<2_000 {
            var damaged = file
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // In the segments, before the pixels.
                damaged[Int.random(in: 20..<2_000, using: &random)] =
                    [0, 1, 2, 8, 0x7F, 0xFF].randomElement(using: &random) ?? 0
            }
            if isTruncated { damaged = damaged.prefix(Int.random(in: 4..<2_000, using: &random)) }
            // Both may fail, with an error.
            let changed = try? MetadataRemoval.withoutPosition(damaged)
            #expect(changed?.count ?? damaged.count == damaged.count)
            _ = try? FileMetadata(of: damaged).facts
            _ = try? MetadataRemoval.reduced(damaged, to: [.exif, .date, .copyright])
        }
    }
}

extension Data {
    fileprivate func appending(number: Int) -> Data {
        var data = self
        data.append(number: number, bytes: 4, .little)
        return data
    }
}
