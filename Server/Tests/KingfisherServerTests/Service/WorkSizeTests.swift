import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

struct WorkSizeTests {
    private func isSmall(_ options: String, _ source: Data) throws -> Bool {
        let path = "/_/\(options)plain/http://a/b"
        let request = try ImageRequest.parse(path, with: GrammarSettings())
        let negotiated = try Negotiation.negotiate(
            request,
            headers: NegotiationHeaders(),
            settings: NegotiationSettings()
        )
        return WorkSize.isSmall(negotiated, source)
    }

    /// A file whose header states a size; the rest is missing.
    private static func jpeg(_ width: Int, _ height: Int, marker: UInt8 = 0xC0) -> Data {
        let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, marker, 0, 17, 8]
        let size = [height >> 8, height, width >> 8, width].map { UInt8(truncatingIfNeeded: $0) }
        return Data(head + size)
    }

    @Test(
        "Thumbnails of usual photographs are small work, large sources and results are not",
        arguments: [
            ("w:300/", 2000, 1000, true), ("w:300/f:webp/", 2000, 1000, true),
            ("w:300/", 6000, 4000, false), ("w:2500/el:1/", 2000, 1000, false),
            ("w:800/f:avif/", 2000, 1000, false), ("w:300/mb:5000/", 2000, 1000, false),
            ("w:300/f:best/", 2000, 1000, false), ("", 1000, 1000, true), ("", 3000, 2000, false),
            ("w:300/dpr:8/", 2000, 1000, false), ("w:1/", 0, 10, false),
        ]
    )
    func small(options: String, width: Int, height: Int, expected: Bool) throws {
        #expect(try isSmall(options, Self.jpeg(width, height)) == expected)
    }

    @Test("The size is that of the file's header in the usual formats")
    func sizes() throws {
        let image = TestPicture.quarters(320, 200)
        for format in [OutputFormat.jpeg, .png, .webp] {
            let file = try #require(image.encoded(as: format, quality: 80))
            let size = try #require(PictureSize(of: file))
            #expect((size.width, size.height, size.format) == (320, 200, format))
        }
        let lossless = try #require(
            image.encoded(as: .webp, quality: 80, compression: .lossless)
        )
        #expect(PictureSize(of: lossless)?.pixelCount == 64_000)
        #expect(PictureSize(of: Self.jpeg(9, 9, marker: 0xC2))?.weight == 3)
    }

    @Test("Damaged headers and other formats have no size, so that their work is not small")
    func damaged() throws {
        let png = try TestPicture.quartersPNG(40, 20)
        let webp = try #require(TestPicture.quarters(40, 20).encoded(as: .webp, quality: 80))
        for file in [Self.jpeg(40, 20), png, webp] {
            for count in 0..<min(16, file.count) {
                #expect(PictureSize(of: file.prefix(count)) == nil)
            }
        }
        #expect(PictureSize(of: Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0])) == nil)
        #expect(
            PictureSize(of: Data([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0xFF, count: 99))) == nil
        )
        #expect(PictureSize(of: Data("GIF89a".utf8)) == nil)
        #expect(try isSmall("w:1/", TestPicture.drawing) == false)
    }
}
