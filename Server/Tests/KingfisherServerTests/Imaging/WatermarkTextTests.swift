import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// Watermarks made of text.
struct WatermarkTextTests {
    private static let hasSVG =
        (try? ImageFileInfo(data: Data(#"<svg xmlns="http://www.w3.org/2000/svg"/>"#.utf8))) != nil

    private static func drawing(_ markup: String) throws -> String {
        String(decoding: try WatermarkText(markup).drawing, as: UTF8.self)
    }

    @Test("Markup becomes the attributes of SVG, and text stays text")
    func markup() throws {
        let text = try Self.drawing("a &lt;b&gt; <b>c <i>d</i></b>\n&#x41;\"")
        #expect(text.contains(">a </tspan>") && text.contains(">&lt;</tspan>"))
        #expect(text.contains(#"font-weight="bold" font-style="normal""#))
        #expect(text.contains(#"font-weight="bold" font-style="italic""#))
        #expect(text.components(separatedBy: "<text ").count == 3)
        #expect(text.contains(">A</tspan>") && text.contains(">&quot;</tspan>"))
        let span = try Self.drawing(
            #"<span foreground='#f00' face="DejaVu Serif" size='20480' weight="300" "#
                + "style='italic'>x</span>"
        )
        for part in [
            ##"fill="#f00""##, #"font-family="DejaVu Serif""#, #"font-size="80.0""#,
            #"font-weight="300""#, #"font-style="italic""#,
        ] { #expect(span.contains(part), "\(part)") }
        let font = try Self.drawing(#"<span font="Sans Bold Italic 32">x</span>"#)
        for part in [
            #"font-family="sans-serif""#, #"font-size="128.0""#, #"font-weight="bold""#,
            #"font-style="italic""#,
        ] { #expect(font.contains(part), "\(part)") }
    }

    @Test(
        "Text that is malformed, too long or too large is refused with the reason",
        arguments: [
            "", "\n", "<b>x", "x</b>", "<b>x</i>", "<x>y</x>", "a & b", "a < b", "&nothing;",
            "&#0;", "&#xD800;", "&#99999999;", "a\u{1}b", "<b weight='bold'>x</b>",
            "<span alpha='50%'>x</span>", "<span color='url(#a)'>x</span>",
            "<span size='1pt'>x</span>", "<span size='97pt'>x</span>", "<span size='nan'>x</span>",
            "<span face='a\"b'>x</span>", "<span face='a' weird>x</span>",
            String(repeating: "<b>", count: 17), String(repeating: "x", count: 201),
            String(repeating: "x\n", count: 8), String(repeating: "<b></b>", count: 300),
            "<span size='96pt'>" + String(repeating: "x", count: 200) + "</span>",
        ]
    )
    func refused(markup: String) {
        let fault = #expect(throws: WatermarkText.Fault.self) { try WatermarkText(markup) }
        #expect(fault?.reason.isEmpty == false)
    }

    @Test("Text is drawn in its colour, size and place", .enabled(if: hasSVG))
    func drawn() async throws {
        let white = TestPicture.image(100, 30) { _, _ in [255, 255, 255, 255] }
        let file = try #require(white.pngData())
        let text = try WatermarkText("<span color='#ff0000'>Hello</span>")
        func frame(_ change: (inout ProcessingOptions) -> Void) async throws -> [Int] {
            let rendered = try await RenderBench().render(file) { options in
                options.watermark = .init(opacity: 1)
                options.watermarkText = text
                change(&options)
            }
            var (left, right, top, bottom) = (Int.max, -1, Int.max, -1)
            for y in 0..<rendered.result.height {
                for x in 0..<rendered.result.width {
                    let pixel = rendered.pixel(x, y)
                    #expect(pixel[0] == 255)
                    guard pixel[1] < 200 else { continue }
                    (left, right) = (min(left, x), max(right, x))
                    (top, bottom) = (min(top, y), max(bottom, y))
                }
            }
            return [left, top, right - left + 1, bottom - top + 1]
        }
        let own = try await frame { _ in }
        // Five letters of 16 points, whose capital is some 12 pixels high.
        #expect((30...50).contains(own[2]) && (10...14).contains(own[3]))
        #expect(abs(2 * own[0] + own[2] - 100) <= 3)
        let boxed = try await frame {
            $0.watermark?.position = .at(.northWest)
            $0.watermarkWidth = 75
        }
        #expect(boxed[0] <= 1 && boxed[1] <= 1 && (73...75).contains(boxed[2]))
        let double = try await frame { ($0.width, $0.enlarge, $0.dpr) = (100, true, 2) }
        #expect(abs(double[2] - 2 * own[2]) <= 4)
    }

    @Test("Text without a visible part is an error of the URL", .enabled(if: hasSVG))
    func blank() async throws {
        let file = try #require(TestPicture.image(10, 10) { _, _ in [0, 0, 0, 255] }.pngData())
        let text = try WatermarkText(" ")
        let error = try await RenderBench().failure(file) { options in
            options.watermark = .init(opacity: 1)
            options.watermarkText = text
        }
        #expect(error.status == 422)
    }
}
