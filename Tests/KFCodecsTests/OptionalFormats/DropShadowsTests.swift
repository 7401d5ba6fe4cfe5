import Foundation
import KFPixels
import Testing

@testable import KFCodecs

struct DropShadowsTests {
    private static func drawing(_ filter: String) -> Data {
        Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><filter id="f">\(filter)</filter>\
            <rect x="10" y="10" width="30" height="20" fill="#c30" filter="url(#f)"/></svg>
            """.utf8
        )
    }

    private static func bitmap(_ filter: String) throws -> Bitmap {
        try drawing(filter).withUnsafeBytes { bytes in
            try Drawings.decodeHere(bytes, DecodeOptions()).bitmap
        }
    }

    /// Whether a pixel is of the shape: filters compute in linear light, and round twice.
    private static func isShape(_ color: RGBA) -> Bool {
        color.alpha == 255 && color.red == 204 && (50...52).contains(color.green) && color.blue == 0
    }

    private static func rewritten(_ text: String) -> String? {
        Data(text.utf8).withUnsafeBytes(DropShadows.rewritten).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(.enabled(if: Fixture.has(.svg)))
    func `a shadow is drawn as the filters that it stands for`() throws {
        let shadow = try Self.bitmap(
            ##"<feDropShadow dx="4" dy="5" stdDeviation="3" flood-color="#00f" flood-opacity=".5"/>"##
        )
        let filters = try Self.bitmap(
            ##"""
            <feGaussianBlur in="SourceAlpha" stdDeviation="3"/><feOffset dx="4" dy="5" result="b"/>\##
            <feFlood flood-color="#00f" flood-opacity=".5"/><feComposite in2="b" operator="in"/>\##
            <feMerge><feMergeNode/><feMergeNode in="SourceGraphic"/></feMerge>
            """##
        )
        #expect(shadow == filters)
        #expect(Self.isShape(shadow[20, 15]))
        // Below the shape; the filter's region ends at 32.
        #expect(shadow[40, 31].alpha > 0)
        #expect(shadow[40, 31].blue > shadow[40, 31].red)
        let styled = try Self.bitmap(
            "<feDropShadow dx='4' dy='5' stdDeviation='3' style='flood-color:blue;flood-opacity:.5'></feDropShadow>"
        )
        #expect(styled == filters)
    }

    @Test(.enabled(if: Fixture.has(.svg)))
    func `a shadow of another filter's result keeps its places`() throws {
        let shadow = try Self.bitmap(
            #"""
            <feOffset dx="3" result="a"/><feDropShadow in="SourceGraphic" dx="0" dy="0" stdDeviation="0" \#
            result="s"/><feBlend in="s" in2="a"/>
            """#
        )
        #expect(Self.isShape(shadow[42, 20]))
        #expect(Self.isShape(shadow[11, 20]))
    }

    @Test func `only elements with this name are rewritten`() throws {
        let text = try #require(
            Self.rewritten(#"<a/><s:feDropShadow dx="1"><s:animate/></s:feDropShadow><b/>"#)
        )
        #expect(text.hasPrefix("<a/><s:feOffset "))
        #expect(text.hasSuffix("</s:feMerge><b/>"))
        #expect(!text.contains("animate"))
        for text in [
            "", "<", "<feDropShadow", "<feDropShadowX/>", "<xfeDropShadow/>",
            "<feDropShadow dx=1/>",
            "<feDropShadow dx='1/>", "<feDropShadow <a/>", "feDropShadow/>",
            "<a b='feDropShadow'/>",
        ] {
            #expect(Self.rewritten(text) == nil, "\(text)")
        }
    }

    /// Each of them took time by the square, if an element were searched beyond the next one.
    @Test(.timeLimit(.minutes(1)))
    func `many broken shadows take no more time than their bytes`() {
        for part in ["<feDropShadow ", "<feDropShadow=''", "<feDropShadow a='", "<feDropShadow>"] {
            _ = Self.rewritten(String(repeating: part, count: 20_000))
        }
    }
}
