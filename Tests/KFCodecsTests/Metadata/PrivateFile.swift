import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// An image file with private texts in every place that its format has for them.
struct PrivateFile: CustomTestStringConvertible, Sendable {
    let name: String
    let orientation: Int
    let make: @Sendable (_ parts: FileMetadata) throws -> Data

    var testDescription: String { "\(name), orientation \(orientation)" }

    /// The texts of all files, none of which may remain.
    static let texts = [
        MetadataSample.camera, MetadataSample.artist, MetadataSample.place,
        MetadataSample.thumbnail,
        "Rita", "51,30.5N", "SECRET",
    ]

    var data: Data {
        get throws {
            var exif = MetadataSample.exif()
            let entry = Data([0x12, 1, 3, 0, 1, 0, 0, 0])
            let place = try #require(exif.firstRange(of: entry)).upperBound
            exif[place] = UInt8(orientation)
            return try make(
                FileMetadata(exif: exif, xmp: MetadataSample.xmp, iptc: MetadataSample.iptc)
            )
        }
    }

    private typealias Maker = @Sendable (FileMetadata) throws -> Data

    /// The forms of a format; none where private texts are refused, see `RemovalTableTests`.
    private static func makers(of format: FileFormat) -> KeyValuePairs<String, Maker> {
        switch format {
        case .jpeg:
            [
                "baseline.jpg": { try jpeg("baseline.jpg", $0) },
                "progressive.jpg": { try jpeg("progressive.jpg", $0) },
                "several.jpg": { try jpeg("baseline.jpg", $0) + jpeg("progressive.jpg", $0) },
                "small.jpg": { try jpeg("optimized", $0) },
            ]
        case .png:
            [
                "rgb8.png": { try png("rgb8.png", $0) },
                "rgba16-interlaced.png": { try png("rgba16-interlaced.png", $0) },
                "animated.png": { try png("animated.png", $0) },
                "small.png": { try png("optimized", $0) },
            ]
        case .webp:
            [
                "lossy.webp": { try webp("lossy.webp", $0) },
                "animated.webp": { try webp("animated.webp", $0) },
            ]
        case .gif:
            [
                "still.gif": { try gif("still.gif", $0) },
                "animated.gif": { try gif("animated.gif", $0) },
            ]
        case .avif:
            [
                "420.avif": { try boxed("420.avif", $0) },
                "alpha.avif": { try boxed("alpha.avif", $0) },
                "animated.avif": { try film($0) + uuid($0) },
            ]
        case .heif:
            Fixture.has(.heif)
                ? [
                    "420.heic": { try boxed("420.heic", $0) },
                    "alpha.heic": { try boxed("alpha.heic", $0) },
                ] : [:]
        case .jxl:
            [
                "lossy-container.jxl": {
                    try Fixture(name: "lossy-container.jxl").data + boxes($0)
                }
            ]
        case .tiff, .bmp, .ico, .svg: [:]
        }
    }

    /// Each format in each of its forms, and each orientation where Exif states it.
    static let all = FileFormat.allCases.flatMap { format in
        makers(of: format).flatMap { maker in
            let isTurned = ["jpg", "png", "webp"].contains((maker.key as NSString).pathExtension)
            return (isTurned ? 1...8 : 6...6).map { orientation in
                PrivateFile(name: maker.key, orientation: orientation, make: maker.value)
            }
        }
    }

    // MARK: - Formats

    /// With a comment before the pixels and one before the end.
    private static func jpeg(_ name: String, _ parts: FileMetadata) throws -> Data {
        let file =
            name == "optimized"
            ? try Codecs.optimized(Fixture(name: "baseline.jpg").data, keepsMetadata: false)
            : try Fixture(name: name).data
        let comment = MetadataSample.segment(0xFE, "SECRET", Data())
        let unknown = MetadataSample.segment(0xEA, "SECRET", Data())
        let whole = try parts.written(to: file)
        return whole.inserting(comment + unknown, at: 2).dropLast(2) + comment + whole.suffix(2)
    }

    private static func png(_ name: String, _ parts: FileMetadata) throws -> Data {
        let file =
            name == "optimized"
            ? try Codecs.optimized(Fixture(name: "rgb8.png").data, keepsMetadata: false)
            : try Fixture(name: name).data
        let text = PNGMetadata.chunk("tEXt", Data("Comment\0SECRET".utf8))
        let unknown = PNGMetadata.chunk("prVt", Data("SECRET".utf8))
        // Before the end, and behind it.
        let whole = try parts.written(to: file)
        return whole.dropLast(12) + text + unknown + whole.suffix(12) + Data("SECRET".utf8)
    }

    private static func webp(_ name: String, _ parts: FileMetadata) throws -> Data {
        var file = try parts.written(to: Fixture(name: name).data)
        file += Data("prvt".utf8) + [6, 0, 0, 0] + Data("SECRET".utf8)
        let size = UntrustedBytes.number(file.count - 8, count: 4, .little)
        file.replaceSubrange(4..<8, with: size)
        return file
    }

    private static func gif(_ name: String, _ parts: FileMetadata) throws -> Data {
        let file = try FileMetadata(xmp: parts.xmp).written(to: Fixture(name: name).data)
        let comment = Data([0x21, 0xFE, 6]) + Data("SECRET".utf8) + [0]
        let application = Data([0x21, 0xFF, 11]) + Data("PRIVATE 1.0".utf8) + comment.dropFirst(2)
        return file.dropLast() + comment + application + [0x3B] + Data("SECRET".utf8)
    }

    private static func boxed(_ name: String, _ parts: FileMetadata) throws -> Data {
        let file = try Fixture(name: name).data.withBytes { bytes throws(CodecError) in
            try AVIFMetadata.written(parts, to: bytes)
        }
        return file + box("free", Data("SECRET".utf8))
    }

    private static func uuid(_ parts: FileMetadata) -> Data {
        let number: [UInt8] = [
            0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3,
            0xAF,
            0xAC,
        ]
        return box("uuid", Data(number) + (parts.xmp ?? Data()))
    }

    private static func boxes(_ parts: FileMetadata) -> Data {
        box("Exif", Data(count: 4) + (parts.exif ?? Data())) + box("xml ", parts.xmp ?? Data())
            + box("jumb", Data("SECRET".utf8))
    }

    /// The animation with the parts as items of its first track, behind the frames.
    private static func film(_ parts: FileMetadata) throws -> Data {
        var file = try Fixture(name: "animated.avif").data
        let (film, track) = try file.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes, .big)
            let film = try #require(
                BoxMetadata.boxes(reader, 0..<bytes.count).first { reader.has("moov", at: $0.type) }
            )
            let tracks = BoxMetadata.boxes(reader, film.body..<film.end)
            return (film, try #require(tracks.first { reader.has("trak", at: $0.type) }))
        }
        let payloads = [Data(count: 4) + (parts.exif ?? Data()), parts.xmp ?? Data()]
        let names = ["Exif\0", "mime\0application/rdf+xml\0"]
        func meta(_ places: [Int]) -> Data {
            var (infos, locations) = (Data([0, 0, 0, 0, 0, 2]), Data([0, 0, 0, 0, 0x44, 0, 0, 2]))
            for index in 0..<2 {
                let entry = Data([2, 0, 0, 0, 0, UInt8(index + 1), 0, 0]) + Data(names[index].utf8)
                infos += box("infe", entry)
                locations += Data([0, UInt8(index + 1), 0, 0, 0, 1])
                locations.append(number: places[index], bytes: 4)
                locations.append(number: payloads[index].count, bytes: 4)
            }
            let handler = Data(count: 8) + Data("pict".utf8) + Data(count: 13)
            return box(
                "meta",
                Data(count: 4) + box("hdlr", handler) + box("iloc", locations) + box("iinf", infos)
            )
        }
        let texts = box("udta", box("name", Data("SECRET".utf8)))
        func larger(_ meta: Data) -> Data {
            let own = box("trak", file[track.body..<track.end] + meta + texts)
            return box(
                "moov",
                file[film.body..<track.type - 4] + own + file[track.end..<film.end] + texts
            )
        }
        // The frames keep their places: the former box becomes free space.
        let first = file.count + larger(meta([0, 0])).count + 8
        let moved = larger(meta([first, first + payloads[0].count]))
        file.replaceSubrange(film.type..<film.type + 4, with: Data("free".utf8))
        return file + moved + box("mdat", payloads[0] + payloads[1])
    }

    static func box(_ name: String, _ content: Data) -> Data {
        var box = Data()
        box.append(number: content.count + 8, bytes: 4)
        return box + Data(name.utf8) + content
    }
}
