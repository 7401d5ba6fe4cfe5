import Foundation
import Testing

@testable import KFCodecs

struct FileFormatTests {
    @Test func `errors name the fault`() {
        let error = CodecError.limitExceeded(.dimension, value: 60_000, allowed: 32_767)
        #expect("\(error)" == "the image has 60000 pixels on one side, the limit is 32767")
    }

    @Test(
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0], .jpeg),
            ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
            (Array("GIF89a".utf8), .gif),
            (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), .webp),
            (Array("\0\0\0\u{1C}ftypavif\0\0\0\0".utf8), .avif),
            (Array("\0\0\0\u{1C}ftypmif1\0\0\0\0mif1avif".utf8), .avif),
            (Array("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic".utf8), .heif),
            ([0xFF, 0x0A, 0, 0], .jxl),
            (Array("II*\0".utf8), .tiff),
            (Array("MM\0+\0\u{8}\0\0".utf8), .tiff),
            (Array("<?xml version='1.0'?><svg".utf8), .svg),
            (Array("<!--\(String(repeating: "-> <html>", count: 9_000))--><svg/>".utf8), .svg),
            (Array("\u{FEFF} <s:svg xmlns:s='http://www.w3.org/2000/svg'>".utf8), .svg),
            (Array("<!DOCTYPE svg [<!ENTITY a '<html>'><!-- > ' --> ]>\n<svg\n>".utf8), .svg),
            ([0xFF, 0xFE] + "<svg>".utf8.flatMap { [$0, 0] }, .svg),
            ("<?xml?><svg>".utf8.flatMap { [0, $0] }, .svg),
            (Array("<html><svg>".utf8), nil),
            (Array("<svgx>".utf8), nil),
            (Array("<!-- <svg> ".utf8), nil),
            (Array("\0\0\u{2}\0\u{1}\0\u{10}\u{10}\0\0".utf8), .ico),
            (Array("<html><body>".utf8), nil),
            (Array("BMW makes cars, and not pictures".utf8), nil),
            (Array("GIF".utf8), nil),
            ([], nil),
        ] as [([UInt8], FileFormat?)]
    )
    func `a format is recognised by its bytes`(bytes: [UInt8], format: FileFormat?) {
        #expect(Codecs.format(of: Data(bytes)) == format)
    }
}
