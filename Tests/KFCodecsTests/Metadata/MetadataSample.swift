import Foundation

@testable import KFCodecs

/// Metadata of a photograph, and files that carry it.
enum MetadataSample {
    static let camera = "TestCamera"
    static let artist = "Ada Artist"
    static let rights = "(c) Rita Rights"
    static let place = "PLACE-OF-GPS"
    static let thumbnail = "THUMBNAIL!"

    /// An entry of a directory; a text above four bytes is stored elsewhere.
    struct Entry {
        var tag: Int
        var type: Int
        var count: Int
        var value: Int
        var text: [UInt8] = []

        static func long(_ tag: Int, _ value: Int) -> Entry {
            Entry(tag: tag, type: 4, count: 1, value: value)
        }

        static func short(_ tag: Int, _ value: Int) -> Entry {
            Entry(tag: tag, type: 3, count: 1, value: value)
        }

        static func text(_ tag: Int, _ text: String) -> Entry {
            Entry(tag: tag, type: 2, count: text.utf8.count + 1, value: 0, text: text.utf8 + [0])
        }
    }

    /// A block of orientation 6 and 640 × 480 pixels, with a camera, an artist, a copyright, a
    /// place and a thumbnail.
    static func exif(_ order: ByteReader.Endianness = .little) -> Data {
        let details = 8 + directoryBytes(7)
        let gps = details + directoryBytes(2)
        let second = gps + directoryBytes(1)
        let texts = second + directoryBytes(2)
        let image = texts + 11 + 11 + 16 + 13
        let main: [Entry] = [
            .short(0x0100, 640), .text(0x010F, camera), .short(0x0112, 6),
            .text(0x013B, artist), .text(0x8298, rights), .long(0x8769, details),
            .long(0x8825, gps),
        ]
        let directories: [(entries: [Entry], next: Int)] = [
            (main, second), ([.long(0xA002, 640), .long(0xA003, 480)], 0),
            ([.text(0x001B, place)], 0),
            ([.long(0x0201, image), .long(0x0202, thumbnail.utf8.count)], 0),
        ]
        return block(directories, texts: texts, order) + thumbnail.utf8
    }

    /// A damaged copy: some bytes near the beginning are others, and every fourth copy is cut off.
    static func damaged(
        _ file: Data,
        round: Int,
        reach: Int,
        by random: inout SplitMix64
    ) -> Data {
        var damaged = file
        if round % 4 == 0 {
            damaged = damaged.prefix(Int(random.next() % UInt64(file.count)))
        }
        for _ in 0...random.next() % 4 where !damaged.isEmpty {
            let place = Int(random.next() % UInt64(min(reach, damaged.count)))
            damaged[place] = [0, 1, 8, 0x7F, 0x80, 0xFF][Int(random.next() % 6)]
        }
        return damaged
    }

    static func directoryBytes(_ count: Int) -> Int { 2 + 12 * count + 4 }

    /// Directories one after the other from offset 8, then their texts.
    static func block(
        _ directories: [(entries: [Entry], next: Int)],
        texts: Int,
        _ order: ByteReader.Endianness = .little
    ) -> Data {
        var file = Data((order == .little ? "II" : "MM").utf8)
        file.append(number: 42, bytes: 2, order)
        file.append(number: 8, bytes: 4, order)
        var stored = Data()
        for (entries, next) in directories {
            file.append(number: entries.count, bytes: 2, order)
            for entry in entries {
                file.append(number: entry.tag, bytes: 2, order)
                file.append(number: entry.type, bytes: 2, order)
                file.append(number: entry.count, bytes: 4, order)
                if entry.text.isEmpty {
                    let bytes = entry.type == 3 ? 2 : 4
                    file.append(number: entry.value, bytes: bytes, order)
                    if bytes == 2 { file.append(number: 0, bytes: 2) }
                } else {
                    file.append(number: texts + stored.count, bytes: 4, order)
                    stored.append(contentsOf: entry.text)
                }
            }
            file.append(number: next, bytes: 4, order)
        }
        return file + stored
    }

    static let xmp = Data(
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
         xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
         xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:xmpNote="http://ns.adobe.com/xmp/note/"
         tiff:Orientation="6" exif:PixelXDimension = '640'
         xmpNote:HasExtendedXMP="0123456789ABCDEF" exif:GPSLatitude="51,30.5N">
        <exif:PixelYDimension>480</exif:PixelYDimension>
        <xmp:Thumbnails><rdf:Alt><rdf:li>THUMBNAIL!</rdf:li></rdf:Alt></xmp:Thumbnails>
        <dc:creator><rdf:Seq><rdf:li>Ada Artist</rdf:li><rdf:li>B &amp; C</rdf:li></rdf:Seq></dc:creator>
        <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">(c) Rita Rights</rdf:li>
        <rdf:li xml:lang="de">(c) Rita Recht</rdf:li></rdf:Alt></dc:rights>
        </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
        """.utf8
    )

    /// A character set, a city, a by-line, a copyright notice and a preview.
    static let iptc: Data = [
        dataset(1, 90, "\u{1B}%G"), dataset(2, 80, artist), dataset(2, 90, "CITY"),
        dataset(2, 116, rights), dataset(2, 202, thumbnail),
    ].reduce(Data(), +)

    static func dataset(_ record: UInt8, _ number: UInt8, _ text: String) -> Data {
        Data([0x1C, record, number]) + Bytes.big(text.utf8.count, 2) + text.utf8
    }

    static let all = FileMetadata(exif: exif(), xmp: xmp, iptc: iptc)

    /// A segment of a JPEG.
    static func segment(_ marker: UInt8, _ name: String, _ body: Data) -> [UInt8] {
        let content = name.utf8 + Array(body)
        return [0xFF, marker] + Bytes.big(content.count + 2, 2) + content
    }
}

extension Data {
    func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
