import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct ImageMetadataTests {
    /// One directory with an artist, and no thumbnail.
    private let exif: Data = {
        let header: [UInt8] = "II*\0".utf8 + [8, 0, 0, 0, 2, 0]
        let orientation: [UInt8] = [0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        let artist: [UInt8] = [0x3B, 1, 2, 0, 4, 0, 0, 0, 65, 100, 97, 0]
        return Data(header + orientation + artist + [0, 0, 0, 0])
    }()
    private let xmp = Data(
        "<rdf:RDF><dc:rights><rdf:Alt><rdf:li>Ada</rdf:li></rdf:Alt></dc:rights></rdf:RDF>".utf8
    )
    private let iptc = Data([0x1C, 2, 116, 0, 3, 65, 100, 97])

    private func file(_ format: ImageFormat) throws -> Data {
        try #require(KFCrossPlatformImage(data: TestImage.png())?.kf.data(format: format))
    }

    @Test(arguments: [ImageFormat.JPEG, .PNG, .WebP])
    func `metadata that is added is read again, upright`(format: ImageFormat) throws {
        var metadata = ImageMetadata(exif: exif, xmp: xmp)
        if format == .JPEG { metadata.iptc = iptc }
        let plain = try file(format)
        let written = try metadata.added(to: plain)
        #expect(written.kf.imageFormat == format)
        let read = try ImageMetadata(of: written)
        #expect(read.xmp == xmp)
        #expect(read.iptc == metadata.iptc)
        #expect(try ImageFileInfo(data: written).orientation == 1)
        #expect(try ImageFileInfo(data: written).size == ImageFileInfo(data: plain).size)
        #expect(read.exif?.count == exif.count)
        #expect(try ImageMetadata(of: plain).isEmpty)
        #expect(try ImageMetadata().added(to: plain) == plain)
    }

    @Test func `the copyright has names and no other entries`() throws {
        let metadata = ImageMetadata(
            exif: exif,
            xmp: xmp,
            iptc: iptc,
            colorProfile: ImageMetadata.sRGBProfile
        ).copyright
        #expect(metadata.exif?.count == exif.count - 12)
        #expect(metadata.xmp?.range(of: Data("Ada".utf8)) != nil)
        #expect(metadata.iptc == iptc)
        #expect(metadata.colorProfile == nil)
        #expect(ImageMetadata(exif: Data("II".utf8), xmp: Data([0xFF])).copyright.isEmpty)
    }

    @Test(arguments: [ImageFormat.JPEG, .PNG, .WebP, .GIF, .AVIF])
    func `the profile of sRGB is embedded where a file does not mean it anyway`(
        format: ImageFormat
    ) throws {
        let plain =
            format == .GIF ? TestImage.stillGIF : try file(format)
        let written = try ImageMetadata(colorProfile: ImageMetadata.sRGBProfile).added(to: plain)
        let has = try ImageFileInfo(data: written).hasColorProfile
        #expect(has == (format == .JPEG || format == .WebP))
        if [.GIF, .AVIF, .PNG].contains(format) { #expect(written == plain) }
    }

    @Test func `parts that a file cannot hold are reported, or left out`() throws {
        for (metadata, format, failure) in [
            (
                ImageMetadata(exif: exif, iptc: iptc), ImageFormat.AVIF,
                Self.unsupported(.iptc, "avif")
            ),
            (ImageMetadata(exif: exif, iptc: iptc), .PNG, Self.unsupported(.iptc, "png")),
            (
                ImageMetadata(colorProfile: Data(count: 200)), .AVIF,
                Self.unsupported(.colorProfile, "avif")
            ),
            (
                ImageMetadata(exif: exif, xmp: xmp + Data(repeating: 32, count: 70_000)), .JPEG,
                .tooLarge(.xmp, byteCount: 70_000 + xmp.count, allowed: 65_504)
            ),
        ] {
            let plain = try file(format)
            let error = #expect(throws: ImageMetadata.Failure.self) {
                try metadata.added(to: plain)
            }
            #expect(error == failure)
            #expect(error?.localizedDescription.contains("leave it out") == true)
            let written = try metadata.added(to: plain, dropsUnsupported: true)
            let hasNames = written.range(of: Data("Ada".utf8)) != nil
            #expect(hasNames == (metadata.exif != nil))
        }
    }

    private static func unsupported(
        _ part: ImageMetadata.Part,
        _ format: String
    ) -> ImageMetadata.Failure {
        .unsupportedPart(part, format: format)
    }

    @Test func `damaged parts are left out, and damaged files are reported`() throws {
        let plain = try file(.JPEG)
        let damaged = ImageMetadata(
            exif: Data("II*\0".utf8) + [255, 255, 255, 255],
            xmp: Data("no packet".utf8),
            iptc: Data("none".utf8)
        )
        #expect(try damaged.added(to: plain) == plain)
        for file in [Data(), Data("text".utf8), plain.prefix(4)] {
            let error = #expect(throws: ImageMetadata.Failure.self) {
                try ImageMetadata(exif: exif).added(to: file)
            }
            guard case .unreadable = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(error?.localizedDescription.hasSuffix(".") == true)
        }
        #expect(throws: ImageMetadata.Failure.self) { try ImageMetadata(of: Data()) }
    }

    @Test func `formats whose metadata is not removed say so if they have any`() throws {
        let head: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
        let plain = Data(head + [0, 0, 0, 0, 0, 0])
        #expect(try ImageMetadata.reduced(plain, to: []) == plain)
        // A directory with the pointer to a position.
        let position: [UInt8] = [1, 0, 0x25, 0x88, 4, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0, 0, 0, 0]
        let error = #expect(throws: ImageMetadata.Failure.self) {
            try ImageMetadata.withoutPosition(Data(head + position))
        }
        #expect(error == .unsupportedSource(format: "tiff"))
        #expect(error?.localizedDescription.contains("TIFF") == true)
    }
}
