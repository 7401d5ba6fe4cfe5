import Foundation
import FoundationXML
import KFPixels
import Testing

@testable import KFCodecs

struct XMPPacketTests {
    private let size = PixelSize(width: 75, height: 100)

    private func packet(_ properties: String) -> Data {
        Data("<x:xmpmeta><rdf:RDF>\(properties)</rdf:RDF></x:xmpmeta>".utf8)
    }

    private func texts(_ properties: String) -> String? {
        XMPPacket(packet(properties))?.copyright.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `an adapted packet is upright, has the new size and no thumbnail`() throws {
        let adapted = try #require(XMPPacket(MetadataSample.xmp)?.adapted(to: size))
        for text in [
            "tiff:Orientation=\"1\"", "exif:PixelXDimension = '75'",
            "<exif:PixelYDimension>100</exif:PixelYDimension>", "exif:GPSLatitude", "Ada Artist",
            "<?xpacket end=\"w\"?>",
        ] {
            #expect(adapted.contains(text), "\(text)")
        }
        for text in ["Thumbnails", "THUMBNAIL!", "HasExtendedXMP", "640", "480"] {
            #expect(!adapted.contains(text), "\(text)")
        }
        #expect(XMLParser(data: adapted).parse())
    }

    @Test func `a packet without such properties stays as it is`() throws {
        let source = packet("<a tiff:OrientationX='6' xtiff:Orientation='6'>tiff:Orientation</a>")
        #expect(XMPPacket(source)?.adapted(to: size) == source)
    }

    @Test func `of a copyright only the names remain`() throws {
        let copyright = try #require(XMPPacket(MetadataSample.xmp)?.copyright)
        let text = String(decoding: copyright, as: UTF8.self)
        #expect(text.contains("<rdf:li>Ada Artist</rdf:li><rdf:li>B &amp; C</rdf:li>"))
        #expect(text.contains("<rdf:li xml:lang=\"x-default\">(c) Rita Rights</rdf:li>"))
        for other in ["Recht", "GPS", "THUMBNAIL!", "Orientation"] {
            #expect(!text.contains(other), "\(other)")
        }
        #expect(XMLParser(data: copyright).parse())
        #expect(XMPPacket(copyright)?.copyright == copyright)
    }

    @Test(
        "A text that another document could not hold is left out",
        arguments: [
            "&evil;", "&#0;", "&#xD800;", "a & b", "&amp", "a\u{1}b", "<b>x</b>", "", "  ",
            "<![CDATA[x]]>", "&#99999999999999999999;", "&#+65;", "&#x+41;", "a ]]> b",
            "a &\u{301} b",
        ]
    )
    func unsafe(text: String) {
        #expect(texts("<dc:rights><rdf:li>\(text)</rdf:li></dc:rights>") == nil)
    }

    @Test func `references that every document knows are copied`() throws {
        let text = "&lt;&#169; &#xA9; R&amp;R&gt; \u{1F4F7}"
        let found = try #require(texts("<dc:rights><rdf:li>\(text)</rdf:li></dc:rights>"))
        #expect(found.contains(text))
        #expect(XMLParser(data: Data(found.utf8)).parse())
    }

    @Test func `lists without an end and endless lists are limited`() throws {
        #expect(texts("<dc:rights><rdf:li>x</rdf:li>") == nil)
        #expect(texts("<dc:rights><rdf:li>x</dc:rights>") == nil)
        #expect(texts("<dc:rights><rdf:li</dc:rights>") == nil)
        let long = String(repeating: "x", count: 8193)
        #expect(texts("<dc:rights><rdf:li>\(long)</rdf:li></dc:rights>") == nil)
        let many = String(repeating: "<rdf:li>x</rdf:li>", count: 1000)
        let found = try #require(texts("<dc:creator>\(many)</dc:creator>"))
        #expect(found.components(separatedBy: "<rdf:li>").count == 33)
    }

    @Test func `bytes that are not a packet in UTF-8 are refused`() {
        #expect(XMPPacket(Data()) == nil)
        #expect(XMPPacket(Data("<rdf:RDF>".utf8) + [0xFF]) == nil)
        #expect(XMPPacket(Data("<rdf:RD".utf8)) == nil)
        #expect(XMPPacket(Data("<rdf:RDF>".utf16.flatMap { [UInt8($0), 0] })) == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `long packets of repeated beginnings take linear time`() throws {
        for part in [
            " tiff:Orientation=\"", " tiff:Orientation='6", "<tiff:Orientation>6",
            "<xmp:Thumbnails>", "<dc:rights>", "<dc:creator><rdf:li>", "<", "tiff:Orientation",
        ] {
            let source = packet(String(repeating: part, count: 1 << 18 / part.utf8.count))
            let opened = try #require(XMPPacket(source))
            #expect(opened.adapted(to: size).count <= source.count)
            _ = opened.copyright
        }
    }

    @Test func `every prefix and thousands of damaged packets are read without a fault`() {
        for count in 0...MetadataSample.xmp.count {
            let packet = XMPPacket(MetadataSample.xmp.prefix(count))
            _ = packet?.copyright
            _ = packet?.adapted(to: size)
        }
        var random = SplitMix64(seed: 22)
        let values = Array("<>/\"'= &;:".utf8)
        for _ in 0..<2000 {
            var damaged = MetadataSample.xmp
            for _ in 0...random.next() % 6 {
                damaged[Int(random.next() % UInt64(damaged.count))] =
                    values[Int(random.next() % UInt64(values.count))]
            }
            let packet = XMPPacket(damaged)
            _ = packet?.adapted(to: size)
            if let copyright = packet?.copyright { #expect(XMLParser(data: copyright).parse()) }
        }
    }
}
