import Foundation
import KFPixels
import Testing

@testable import KFCodecs

struct ExifBlockTests {
    private let size = PixelSize(width: 75, height: 100)

    @Test(arguments: [ByteReader.Endianness.big, .little])
    func `an adapted block is upright, has the new size and no thumbnail`(
        order: ByteReader.Endianness
    ) throws {
        let source = MetadataSample.exif(order)
        let block = try #require(ExifBlock(source)?.adapted(to: size))
        for text in [
            MetadataSample.camera, MetadataSample.artist, MetadataSample.rights,
            MetadataSample.place,
        ] {
            #expect(block.contains(text))
        }
        #expect(!block.contains(MetadataSample.thumbnail))
        #expect(block.withUnsafeBytes(EXIFOrientation.parse) == .up)
        for (tag, type, bytes, value) in [
            (0x0100, 3, 2, 75), (0x0112, 3, 2, 1), (0xA002, 4, 4, 75), (0xA003, 4, 4, 100),
        ] {
            var entry = Data()
            entry.append(number: tag, bytes: 2, order)
            entry.append(number: type, bytes: 2, order)
            entry.append(number: 1, bytes: 4, order)
            entry.append(number: value, bytes: bytes, order)
            #expect(block.range(of: entry) != nil, "\(tag)")
        }
        // The directory of the thumbnail is no longer reachable.
        let next = try #require(ExifBlock(block)?.adapted(to: size))
        #expect(next == block)
    }

    @Test(arguments: [ByteReader.Endianness.big, .little])
    func `of a copyright only the names remain`(order: ByteReader.Endianness) throws {
        let block = try #require(ExifBlock(MetadataSample.exif(order))?.copyright)
        #expect(block.contains(MetadataSample.artist + "\0"))
        #expect(block.contains(MetadataSample.rights + "\0"))
        for text in [MetadataSample.camera, MetadataSample.place, MetadataSample.thumbnail] {
            #expect(!block.contains(text))
        }
        #expect(block.count == 8 + MetadataSample.directoryBytes(2) + 12 + 16)
        // It is a valid block, from which the same follows.
        #expect(ExifBlock(block)?.copyright == block)
        #expect(ExifBlock(block)?.adapted(to: size) == block)
    }

    @Test func `texts of up to four bytes are stored in their entries`() throws {
        let entry = MetadataSample.Entry(tag: 0x8298, type: 2, count: 4, value: 0x0043_4241)
        let source = MetadataSample.block([([entry], 0)], texts: 0)
        let block = try #require(ExifBlock(source)?.copyright)
        #expect(block.count == 8 + MetadataSample.directoryBytes(1))
        #expect(block.contains("ABC\0"))
    }

    @Test func `a block without names has no copyright`() {
        for entries: [MetadataSample.Entry] in [
            [], [.short(0x0112, 6)], [.text(0x8298, "   ")], [.short(0x8298, 1)],
            [.init(tag: 0x8298, type: 2, count: 1 << 31, value: 8)],
            [.init(tag: 0x013B, type: 2, count: 100, value: 0xFFFF_FFF0)],
            [.init(tag: 0x013B, type: 2, count: 0, value: 8)],
        ] {
            let source = MetadataSample.block([(entries, 0)], texts: 8 + 2 + 12 + 4)
            #expect(ExifBlock(source)?.copyright == nil)
        }
    }

    @Test func `a thumbnail in strips is removed`() throws {
        let image = 8 + MetadataSample.directoryBytes(1) + MetadataSample.directoryBytes(2)
        let text = Array(MetadataSample.thumbnail.utf8)
        let source =
            MetadataSample.block(
                [
                    ([.short(0x0112, 6)], 8 + MetadataSample.directoryBytes(1)),
                    ([.long(0x0111, image), .long(0x0117, text.count)], 0),
                ],
                texts: image
            ) + text + Data("after".utf8)
        let block = try #require(ExifBlock(source)?.adapted(to: size))
        #expect(!block.contains(MetadataSample.thumbnail))
        #expect(block.contains("after"))
        #expect(block.count == source.count)
    }

    @Test func `directories in a circle come to an end`() throws {
        // The second directory is the first one, and so is that of Exif.
        let source = MetadataSample.block([([.short(0x0112, 6), .long(0x8769, 8)], 8)], texts: 0)
        let block = try #require(ExifBlock(source)?.adapted(to: size))
        #expect(block.withUnsafeBytes(EXIFOrientation.parse) == .up)
        #expect(block.count == source.count)
    }

    @Test func `a thumbnail over the directory itself removes the block`() {
        let first = 8 + MetadataSample.directoryBytes(1)
        for (offset, length) in [(8, 1 << 31), (0xFFFF_FFFF, 0xFFFF_FFFF), (8, 12), (0, 4)] {
            let source = MetadataSample.block(
                [
                    ([.short(0x0112, 6)], first),
                    ([.long(0x0201, offset), .long(0x0202, length)], 0),
                ],
                texts: 0
            )
            let block = ExifBlock(source)?.adapted(to: size)
            #expect(block.map { $0.withUnsafeBytes(EXIFOrientation.parse) == .up } ?? true)
        }
    }

    @Test func `every prefix and thousands of damaged blocks are read without a fault`() {
        let source = MetadataSample.exif()
        for count in 0...source.count {
            let block = ExifBlock(source.prefix(count))
            _ = block?.copyright
            _ = block?.adapted(to: size)
        }
        var random = SplitMix64(seed: 21)
        let values: [UInt8] = [0, 1, 7, 8, 0x7F, 0x80, 0xFF]
        for _ in 0..<5000 {
            var damaged = source
            for _ in 0...random.next() % 6 {
                damaged[Int(random.next() % UInt64(damaged.count))] =
                    values[Int(random.next() % UInt64(values.count))]
            }
            let block = ExifBlock(damaged)
            if let adapted = block?.adapted(to: size) {
                #expect(adapted.withUnsafeBytes(EXIFOrientation.parse) == .up)
            }
            #expect(block?.copyright.map { $0.count < 17_000 } ?? true)
        }
    }
}
