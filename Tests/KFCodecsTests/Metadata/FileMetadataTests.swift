import Foundation
import KFPixels
import Testing

@testable import KFCodecs

struct FileMetadataTests {
    private static let files = ["baseline.jpg", "rgb8.png", "lossy.webp", "lossless.webp"]
        .filter { !((try? Fixture(name: $0).data) ?? Data()).isEmpty }

    @Test func `the fixtures exist`() { #expect(Self.files.count >= 3) }

    @Test(arguments: files)
    func `parts that are written are read again, and pixels stay`(name: String) throws {
        let file = try Fixture(name: name).data
        let written = try MetadataSample.all.written(to: file)
        var expected = MetadataSample.all
        if !name.hasSuffix("jpg") { expected.iptc = nil }
        #expect(try FileMetadata(of: written) == expected)
        #expect(try Codecs.decode(written).bitmap.size != .init(width: 0, height: 0))
        // The orientation of the sample turns them; without it they are the same.
        let upright = try expected.adapted(to: Codecs.inspect(file).storedSize).written(to: file)
        #expect(try Codecs.decode(upright).bitmap == Codecs.decode(file).bitmap)
        // Written again, the parts replace the former ones.
        #expect(try expected.written(to: written) == written)
        let short = FileMetadata(exif: ExifBlock(MetadataSample.exif())?.copyright)
        let replaced = try short.written(to: written)
        #expect(try FileMetadata(of: replaced).exif == short.exif)
        #expect(try FileMetadata(of: replaced).xmp == MetadataSample.xmp)
        #expect(!replaced.contains(MetadataSample.camera))
    }

    @Test func `an empty packet of a GIF is none, and hides no other`() throws {
        var file = try Fixture(name: "still.gif").data
        let head = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8)
        let end = [1] + (UInt8.min...UInt8.max).reversed() + [0]
        file.insert(contentsOf: head + end, at: file.count - 1)
        #expect(try FileMetadata(of: file).xmp == nil)
        let written = try FileMetadata(xmp: MetadataSample.xmp).written(to: file)
        #expect(try FileMetadata(of: written).xmp == MetadataSample.xmp)
    }

    @Test(arguments: files)
    func `a profile replaces that of the file`(name: String) throws {
        let file = try Fixture(name: name).data
        // Another date than that of the profile for which PNG has a shorter form.
        let profile = Data(SRGBProfile.bytes).patched([7], at: 25)
        let written = try FileMetadata(profile: profile).written(to: file)
        #expect(try Codecs.inspect(written).hasColorProfile)
        #expect(try Codecs.decode(written).bitmap == Codecs.decode(file).bitmap)
        #expect(try FileMetadata(profile: profile).written(to: written) == written)
    }

    @Test func `a profile of several segments is complete`() throws {
        let profile = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let file = try Fixture(name: "baseline.jpg").data
        let written = try FileMetadata(profile: profile).written(to: file)
        let found = try written.withUnsafeBytes {
            try JPEGHeader(parsing: $0).assembledProfile(in: $0)
        }
        #expect(found.map { Data($0) } == profile)
    }

    @Test func `the JFIF segment stays the first, and segments may come in any order`() throws {
        let plain = try Fixture(name: "baseline.jpg").data
        let file = try MetadataSample.all.written(to: plain)
        #expect(file[2...3] == plain[2...3])
        let parts = [
            MetadataSample.segment(0xE1, "http://ns.adobe.com/xap/1.0/\0", MetadataSample.xmp),
            MetadataSample.segment(0xE1, "http://ns.adobe.com/xmp/extension/\0", Data(count: 90)),
            MetadataSample.segment(0xE1, "Exif\0\0", Data()),
            MetadataSample.segment(0xE1, "Exif\0\0", MetadataSample.exif()),
            MetadataSample.segment(0xE1, "Exif\0\0", Data("second".utf8)),
            MetadataSample.segment(0xE2, "ICC_PROFILE\0", Data([2, 1, 7])),
        ]
        for shift in parts.indices {
            let order = parts[shift...] + parts[..<shift]
            let mixed = plain.inserting(order.flatMap(\.self), at: 2)
            let found = try FileMetadata(of: mixed)
            #expect(found.xmp == MetadataSample.xmp)
            #expect(found.exif == (shift == 4 ? Data("second".utf8) : MetadataSample.exif()))
        }
    }

    @Test func `a packet replaces all segments of the former one`() throws {
        let plain = try Fixture(name: "baseline.jpg").data
        let name = "http://ns.adobe.com/xmp/extension/\0"
        let more = MetadataSample.segment(0xE1, name, Data(MetadataSample.thumbnail.utf8))
        // After the JFIF segment.
        let file = try FileMetadata(xmp: MetadataSample.xmp).written(to: plain)
            .inserting(more, at: 20)
        let written = try FileMetadata(xmp: MetadataSample.xmp).written(to: file)
        #expect(try written == FileMetadata(xmp: MetadataSample.xmp).written(to: plain))
        // Other parts leave the packet as it is.
        let other = try FileMetadata(iptc: MetadataSample.iptc).written(to: file)
        #expect(other.contains("xmp/extension"))
    }

    @Test(arguments: ["lossy.webp", "lossless.webp"])
    func `a WebP that is cut off is not written without its pixels`(name: String) throws {
        let file = try Fixture(name: name).data
        let parts = FileMetadata(xmp: MetadataSample.xmp)
        for count in 30..<file.count - 1 where count < 120 || count.isMultiple(of: 7) {
            #expect(throws: CodecError.self) { try parts.written(to: file.prefix(count)) }
        }
        // More chunks than are looked at, before the pixels.
        let tiny = Array("TINY".utf8) + [0, 0, 0, 0]
        let many = [UInt8](repeatElement(tiny, count: FileMetadata.maxChunkCount).joined())
        var large = file + many
        let size = UntrustedBytes.number(large.count - 8, count: 4, .little)
        large.replaceSubrange(4..<8, with: size)
        #expect(throws: CodecError.self) { try parts.written(to: large) }
    }

    @Test func `image resources may be divided among segments`() throws {
        let plain = try Fixture(name: "baseline.jpg").data
        // A resource with a name of odd length before the one with the datasets.
        let other: [UInt8] =
            "8BIM".utf8 + [0x04, 0x0C, 2, 65, 66, 0] + Bytes.big(3, 4) + [1, 2, 3, 0]
        let resources = Data(other) + IPTCDatasets.resources(MetadataSample.iptc)
        for count in stride(from: 0, to: resources.count, by: 5) {
            let segments =
                MetadataSample.segment(0xED, "Photoshop 3.0\0", resources.prefix(count))
                + MetadataSample.segment(0xED, "Photoshop 3.0\0", resources.dropFirst(count))
            let found = try FileMetadata(of: plain.inserting(segments, at: 2))
            #expect(found.iptc == MetadataSample.iptc)
            let half = plain.inserting(
                MetadataSample.segment(0xED, "Photoshop 3.0\0", resources.prefix(count)),
                at: 2
            )
            #expect(try FileMetadata(of: half).iptc == nil)
        }
    }

    @Test func `IPTC keeps all but previews, or the names alone`() {
        let adapted = IPTCDatasets.withoutPreviews(MetadataSample.iptc)
        #expect(adapted == MetadataSample.iptc.dropLast(5 + MetadataSample.thumbnail.utf8.count))
        let copyright = IPTCDatasets.copyright(MetadataSample.iptc)
        #expect(copyright?.contains("CITY") == false)
        // The same number in another record is another thing.
        #expect(IPTCDatasets.copyright(MetadataSample.dataset(3, 80, "x")) == nil)
        #expect(copyright?.contains(MetadataSample.artist) == true)
        #expect(copyright?.contains(MetadataSample.rights) == true)
        #expect(IPTCDatasets.copyright(MetadataSample.dataset(1, 90, "\u{1B}%G")) == nil)
        // A length of four bytes, one that is cut off, and one of a length without sense.
        let long = Data([0x1C, 2, 80, 0x80, 4, 0, 0, 0, 2, 65, 66])
        #expect(IPTCDatasets.copyright(long) == long)
        #expect(IPTCDatasets.copyright(long.dropLast()) == nil)
        #expect(IPTCDatasets.copyright(Data([0x1C, 2, 80, 0xFF, 0xFF, 0, 0])) == nil)
        let many = (0..<1000).reduce(into: Data()) { all, _ in
            all.append(MetadataSample.dataset(2, 80, "x"))
        }
        #expect(IPTCDatasets.copyright(many)?.count == 64 * 6)
    }

    @Test func `compressed packets and other texts of PNG are not read`() throws {
        let plain = try Fixture(name: "rgb8.png").data
        let name = Array("XML:com.adobe.xmp".utf8)
        for body in [
            name + [0, 1, 0, 0, 0, 120, 156, 1, 2, 3], name + [0], name + [0, 0, 0, 0, 0], name,
            name + [0, 0, 0, 65, 66], Array("Comment".utf8) + [0, 0, 0, 0, 0, 65],
        ] {
            let chunk = Bytes.big(body.count, 4) + Array("iTXt".utf8) + body + [0, 0, 0, 0]
            #expect(try FileMetadata(of: plain.inserting(chunk, at: 33)).isEmpty)
        }
        let body = name + [0, 0, 0, 101, 110, 0, 120, 0] + Array(MetadataSample.xmp)
        let chunk = Bytes.big(body.count, 4) + Array("iTXt".utf8) + body + [0, 0, 0, 0]
        #expect(try FileMetadata(of: plain.inserting(chunk, at: 33)).xmp == MetadataSample.xmp)
    }

    @Test func `parts that do not fit are left out, and large ones are not read`() throws {
        let jpeg = try Fixture(name: "baseline.jpg").data
        let large = FileMetadata(
            exif: Data(count: 65_528),
            xmp: Data(count: 65_505),
            iptc: Data(count: 65_507)
        )
        #expect(try large.written(to: jpeg) == jpeg)
        let fitting = FileMetadata(
            exif: Data(count: 65_527),
            xmp: Data(count: 65_504),
            iptc: Data(count: 65_506)
        )
        #expect(try FileMetadata(of: fitting.written(to: jpeg)) == fitting)
        for name in ["rgb8.png", "lossy.webp"] {
            let file = try Fixture(name: name).data
            let written = try FileMetadata(exif: Data(count: 1 << 20)).written(to: file)
            #expect(try FileMetadata(of: written).exif?.count == 1 << 20)
            let more = try FileMetadata(exif: Data(count: 1 << 20 + 1)).written(to: file)
            #expect(try FileMetadata(of: more).isEmpty)
        }
    }

    @Test func `formats without metadata have none, and others say so`() throws {
        for fixture in Fixture.all("gif", "bmp", "ico") {
            #expect(try FileMetadata(of: fixture.data).isEmpty)
        }
        #expect(throws: CodecError.empty) { try FileMetadata(of: Data()) }
        #expect(throws: CodecError.unknownFormat) { try FileMetadata(of: Data("text".utf8)) }
        for fixture in Fixture.all("bmp") {
            #expect(throws: CodecError.unsupported(.bmp, feature: "writing metadata")) {
                try MetadataSample.all.written(to: fixture.data)
            }
        }
        // Of all parts a GIF has a place for XMP alone.
        let written = try MetadataSample.all.written(to: Fixture(name: "still.gif").data)
        #expect(try FileMetadata(of: written) == FileMetadata(xmp: MetadataSample.xmp))
    }

    @Test(.timeLimit(.minutes(1)), arguments: files)
    func `prefixes and damaged files are read and written without a fault`(
        name: String
    ) throws {
        let file = try MetadataSample.all.written(to: Fixture(name: name).data)
        var random = SplitMix64(seed: 23)
        for round in 0..<400 {
            var damaged = file
            if round % 3 == 0 {
                damaged = damaged.prefix(Int(random.next() % UInt64(min(4000, file.count))))
            }
            for _ in 0...random.next() % 6 where !damaged.isEmpty {
                let place = Int(random.next() % UInt64(min(damaged.count, 2500)))
                damaged[place] = [0, 1, 8, 0x7F, 0x80, 0xFF][Int(random.next() % 6)]
            }
            // Errors are as good as results.
            let found = try? FileMetadata(of: damaged)
            _ = found?.copyright
            _ = found?.adapted(to: PixelSize(width: 7, height: 9))
            _ = try? MetadataSample.all.written(to: damaged)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `endless tiny chunks come to an end`() throws {
        let png = try Fixture(name: "rgb8.png").data
        let text = [UInt8]([0, 0, 0, 0]) + Array("tEXt".utf8) + [0x6A, 0xD0, 0x86, 0x3C]
        let chunks = [UInt8](repeatElement(text, count: 200_000).joined())
        #expect(try FileMetadata(of: png.inserting(chunks, at: 33)).isEmpty)
        let jpeg = try Fixture(name: "baseline.jpg").data
        let comments = [UInt8](repeatElement([0xFF, 0xFE, 0, 2], count: 200_000).joined())
        #expect(try FileMetadata(of: jpeg.inserting(comments, at: 2)).isEmpty)
    }
}
