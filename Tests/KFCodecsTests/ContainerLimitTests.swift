import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Files of many parts are refused before a library reads them.
@Suite(.timeLimit(.minutes(1)))
struct ContainerLimitTests {
    private static func box(_ type: String, _ body: Data) -> Data {
        Data(Bytes.big(body.count + 8, 4)) + Data(type.utf8) + body
    }

    /// A box with version and flags.
    private static func full(_ type: String, version: Int = 0, _ body: [UInt8]) -> Data {
        box(type, Data(Bytes.big(version << 24, 4) + body))
    }

    private static func file(_ brand: String, _ boxes: [Data]) -> Data {
        let head = box("ftyp", Data("\(brand)\0\0\0\0mif1".utf8))
        return head + boxes.reduce(Data(), +) + box("mdat", Data(count: 64))
    }

    private static func meta(_ boxes: [Data]) -> Data {
        box("meta", Data(count: 4) + boxes.reduce(Data(), +))
    }

    private static var avif: [(name: String, boxes: [Data])] {
        let property = box("pixi", Data(count: 8))
        let reference = box("dimg", Data(Bytes.big(1, 2) + Bytes.big(40_000, 2)))
        // 16 bits of sizes, 4097 items without extents, or one with many.
        let places = [UInt8](repeating: 0, count: 6 * 4097)
        let table = { (name: String) in
            full(name, Bytes.big(name == "stsz" ? 0 : 2_000_000, 4) + Bytes.big(2_000_000, 4))
        }
        let samples = { (name: String) in
            box("moov", box("trak", box("mdia", box("minf", box("stbl", table(name))))))
        }
        return [
            ("items", [meta([full("iinf", Bytes.big(4097, 2))])]),
            ("items", [meta([full("iinf", version: 1, Bytes.big(1 << 30, 4))])]),
            ("items", [meta([full("iloc", [0x44, 0] + Bytes.big(4097, 2) + places)])]),
            (
                "extents",
                [
                    meta([
                        full(
                            "iloc",
                            [0x44, 0] + Bytes.big(1, 2) + Bytes.big(0, 4) + Bytes.big(30_000, 2)
                        )
                    ])
                ]
            ),
            (
                "properties",
                [
                    meta([
                        box(
                            "iprp",
                            box(
                                "ipco",
                                (0..<4097).reduce(into: Data()) {
                                    $0 += property
                                    _ = $1
                                }
                            )
                        )
                    ])
                ]
            ),
            ("items", [meta([box("iprp", full("ipma", Bytes.big(4097, 4)))])]),
            ("references", [meta([full("iref", Array(reference))])]),
            (
                "tracks",
                [
                    box(
                        "moov",
                        (0..<17).reduce(into: Data()) {
                            $0 += box("trak", Data())
                            _ = $1
                        }
                    )
                ]
            ),
            ("boxes", (0..<20_001).map { _ in box("free", Data()) }),
            ("frames", [samples("stsc")]), ("frames", [samples("stsz")]),
            ("frames", [samples("stco")]),
        ]
    }

    private func expectRefusal(_ file: Data, _ name: String) {
        for read in [{ _ = try Codecs.inspect(file) }, { _ = try Codecs.decode(file) }] {
            let error = #expect(throws: CodecError.self) { try read() }
            guard let error else { continue }
            #expect("\(error)".contains(" \(name)"), "\(error)")
            #expect("\(error)".contains("the limit is"), "\(error)")
        }
    }

    @Test func `AVIF: items, properties, references and samples are counted`() {
        for (name, boxes) in Self.avif { expectRefusal(Self.file("avif", boxes), name) }
    }

    @Test(.enabled(if: Fixture.has(.heif)))
    func `HEIF: items, properties and references are counted`() {
        for (name, boxes) in Self.avif { expectRefusal(Self.file("heic", boxes), name) }
    }

    @Test func `ICO: entries are counted`() throws {
        let file = try Fixture(name: "png.ico").data
        expectRefusal(file.patched(Bytes.little(257, 2), at: 4) + Data(count: 16 * 257), "icons")
    }

    @Test func `WebP and GIF: chunks are counted`() throws {
        let chunk = Array("JUNK".utf8) + Bytes.little(0, 4)
        let junk = [UInt8]([[UInt8]](repeating: chunk, count: 200_001).joined())
        let webp = try Fixture(name: "profile.webp").data
        // After the container's header and the extended one.
        let long = webp.inserting(junk, at: 30)
        expectRefusal(long.patched(Bytes.little(long.count - 8, 4), at: 4), "chunks")
        let gif = try Fixture(name: "still.gif").data
        let comment: [UInt8] = [0x21, 0xFE, 0]
        let comments = [UInt8]([[UInt8]](repeating: comment, count: 200_001).joined())
        let start = 13 + (gif[10] & 0x80 != 0 ? 3 << (Int(gif[10] & 7) + 1) : 0)
        expectRefusal(gif.inserting(comments, at: start), "chunks")
    }

    @Test func `APNG: chunks are counted`() throws {
        let file = try Fixture(name: "animated.png").data
        let end = try file.index(of: "IEND") - 4
        let one = Array(PNGSample.chunk("fdAT", [0, 0, 0, 9, 1]))
        let many = [UInt8]([[UInt8]](repeating: one, count: 200_001).joined())
        let error = #expect(throws: CodecError.self) {
            try FrameDecoder(file.inserting(many, at: end))
        }
        #expect(error.map { "\($0)".contains(" chunks") } == true, "\(String(describing: error))")
    }

    @Test func `Exif: entries beyond the first thousand are not read`() {
        for (count, expected) in [(1000, Orientation.right), (1001, .up), (60_000, .up)] {
            var block = Data("II*\0".utf8) + Data(Bytes.little(8, 4) + Bytes.little(count, 2))
            for _ in 1..<count {
                block += Data(Bytes.little(1, 2) + [UInt8](repeating: 0, count: 10))
            }
            block += Data(Bytes.little(0x0112, 2) + Bytes.little(3, 2) + Bytes.little(1, 4))
            block += Data(Bytes.little(6, 2) + [0, 0] + [0, 0, 0, 0])
            #expect(block.withUnsafeBytes(EXIFOrientation.parse) == expected)
            #expect((ExifBlock(block) != nil) == (count <= 1000))
        }
    }

    @Test func `AVIF: a box that ends with the file is read`() throws {
        let name = "420.avif"
        let file = try Fixture(name: name).data
        // The pixels first, then the description, whose offsets follow.
        let meta = try file.index(of: "meta") - 4
        let length = (0..<4).reduce(0) { $0 << 8 | Int(file[meta + $1]) }
        let open = file.patched([0, 0, 0, 0], at: meta)
        let expected = try Codecs.decode(file).bitmap
        #expect(length > 0)
        #expect(try Codecs.decode(open).bitmap == expected)
    }
}
