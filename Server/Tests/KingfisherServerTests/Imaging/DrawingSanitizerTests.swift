import Foundation
import FoundationXML
import Testing

@testable import KingfisherServer

/// Drawings as they are passed on.
///
/// Whatever a file should not do contains the word "evil".
@Suite(.timeLimit(.minutes(2)))
struct DrawingSanitizerTests {
    // MARK: Kept

    /// Files, and what becomes of them; X stands for the namespaces.
    private static let examples: [(String, String)] = [
        (
            #"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" viewBox="0 0 9 9"/>"#,
            #"<svg X width="9" height="9" viewBox="0 0 9 9"/>"#
        ),
        (
            "<svg xmlns='http://www.w3.org/2000/svg'><g id='a'><path d='M0 0h9v9z' fill='#f00'/></g></svg>",
            ##"<svg X><g id="a"><path d="M0 0h9v9z" fill="#f00"/></g></svg>"##
        ),
        (
            "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:path d=\"M0 0\"></s:path></s:svg>\n",
            #"<svg X><path d="M0 0"/></svg>"#
        ),
        (
            svg("<text x='1'>a &amp; b &lt; c &#8364; é<tspan>\r\n</tspan></text>"),
            "<svg X><text x=\"1\">a &#38; b &#60; c € é<tspan>\n</tspan></text></svg>"
        ),
        (
            svg("<style>.a &gt; b{fill:url( '#g' )}</style>"),
            "<svg X><style>.a &#62; b{fill:url( '#g' )}</style></svg>"
        ),
        (
            svg("<style type='text/css'><![CDATA[@media (min-width:1px){a{fill:red}}]]></style>"),
            #"<svg X><style type="text/css">@media (min-width:1px){a{fill:red}}</style></svg>"#
        ),
        (
            svg("<use href='#a' x:href=' #b '/>", " xmlns:x='http://www.w3.org/1999/xlink'"),
            ##"<svg X><use href="#a" xlink:href="#b"/></svg>"##
        ),
        (
            svg("<image href='data:image/PNG;base64,iVBOR w0KGgoA'/>"),
            #"<svg X><image href="data:image/png;base64,iVBORw0KGgoA"/></svg>"#
        ),
        (
            svg("<text xml:space='preserve' font-family='&quot;A (b)&quot;'/>"),
            #"<svg X><text xml:space="preserve" font-family="&#34;A (b)&#34;"/></svg>"#
        ),
        (
            svg("<animate attributeName='x' to='9' dur='1s'/>"),
            #"<svg X><animate attributeName="x" to="9" dur="1s"/></svg>"#
        ),
        (
            "\u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://x'>\n<!-- a --><?b?>"
                + svg("<rect/><!-- <script> -->"),
            "<svg X><rect/></svg>"
        ),
        (
            svg(
                "<metadata><r:a xmlns:r='urn:r'>b</r:a></metadata><rect data-a='1' i:b='2'/>",
                " xmlns:i='urn:i'"
            ),
            "<svg X><rect/></svg>"
        ),
    ]

    @Test("What is drawn is kept", arguments: examples)
    func kept(file: String, expected: String) throws {
        let spaces =
            #"xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink""#
        let result = try DrawingSanitizer.sanitized(Data(file.utf8))
        #expect(String(decoding: result, as: UTF8.self) == expected.replacing("X", with: spaces))
        #expect(try DrawingSanitizer.sanitized(result) == result, "It is in its final form.")
    }

    @Test(
        "Drawings in UTF-16 are written in UTF-8",
        arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian]
    )
    func wide(encoding: String.Encoding) throws {
        let text = svg("<text>é€</text>")
        let expected = try DrawingSanitizer.sanitized(Data(text.utf8))
        for mark in ["", "\u{FEFF}"] {
            let file = try #require((mark + text).data(using: encoding))
            #expect(try DrawingSanitizer.sanitized(file) == expected)
        }
    }

    // MARK: Hostile

    @Test("What could run, load or lead away is left out", arguments: HostileDrawings.leftOut)
    func leftOut(file: String) throws {
        let result = try DrawingSanitizer.sanitized(Data(file.utf8))
        let reading = try DrawingReading(result)
        #expect(reading.faults.isEmpty)
        #expect(reading.elements.contains("path"), "The rest is kept.")
    }

    @Test("A file that cannot be made harmless is refused", arguments: HostileDrawings.refused)
    func refused(file: String) {
        #expect(throws: DrawingFault.self) { try DrawingSanitizer.sanitized(Data(file.utf8)) }
    }

    @Test("Script in UTF-16 is left out, and so is what hides in other encodings")
    func encodings() throws {
        let hostile = svg("<script>evil()</script><path onload='evil()'/>")
        let wide = try #require(("\u{FEFF}" + hostile).data(using: .utf16LittleEndian))
        #expect(try DrawingReading(DrawingSanitizer.sanitized(wide)).faults.isEmpty)
        var files = ["utf-7", "utf-32", "ebcdic-cp-us", "iso-2022-jp", "hz-gb-2312"].map {
            Data("<?xml version='1.0' encoding='\($0)'?>\(hostile)".utf8)
        }
        // A byte that is no UTF-8; half a character of UTF-16; one of two surrogates.
        files.append(Data(svg("<text>").utf8) + [0xC0, 0xBC])
        files.append(wide + [0])
        files.append(wide + [0x00, 0xD8])
        files.append(
            Data("<?xml version='1.0' encoding='iso-8859-1'?>\(svg("<text>é</text>"))".utf8)
        )
        for file in files {
            #expect(throws: DrawingFault.self) { try DrawingSanitizer.sanitized(file) }
        }
    }

    @Test("Elements that stand for very many others are refused")
    func bombs() throws {
        let doubling = (1...40).map {
            "<g id='a\($0)'><use href='#a\($0 - 1)'/><use href='#a\($0 - 1)'/></g>"
        }
        let patterns = (1...40).map {
            "<pattern id='a\($0)'><rect fill='url(#a\($0 - 1))'/><rect style='fill:url(#a\($0 - 1))'/></pattern>"
        }
        for parts in [doubling, patterns] {
            let bomb = svg("<path id='a0'/>" + parts.joined())
            #expect(throws: DrawingFault.self) { try DrawingSanitizer.sanitized(Data(bomb.utf8)) }
            let few = svg("<path id='a0'/>" + parts.prefix(10).joined())
            #expect(try !DrawingSanitizer.sanitized(Data(few.utf8)).isEmpty)
        }
        let circle = svg("<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>")
        #expect(try !DrawingSanitizer.sanitized(Data(circle.utf8)).isEmpty)
        let chain = (1...5000).map { "<g id='a\($0)'><use href='#a\($0 + 1)'/></g>" }.joined()
        #expect(throws: DrawingFault.self) { try DrawingSanitizer.sanitized(Data(svg(chain).utf8)) }
    }

    @Test("Files beyond a limit are refused")
    func limits() throws {
        func isAccepted(_ file: String) -> Bool {
            (try? DrawingSanitizer.sanitized(Data(file.utf8))) != nil
        }
        func nested(_ count: Int) -> String {
            svg(String(repeating: "<g>", count: count) + String(repeating: "</g>", count: count))
        }
        #expect(isAccepted(nested(MarkupReader.maximalDepth - 1)))
        #expect(!isAccepted(nested(MarkupReader.maximalDepth)))
        let rects = { svg(String(repeating: "<rect/>", count: $0)) }
        #expect(isAccepted(rects(MarkupReader.maximalElements - 1)))
        #expect(!isAccepted(rects(MarkupReader.maximalElements)))
        let attributes = { (count: Int) in svg("<g \((0..<count).map { "a\($0)='' " }.joined())/>")
        }
        #expect(isAccepted(attributes(MarkupReader.maximalAttributes)))
        #expect(!isAccepted(attributes(MarkupReader.maximalAttributes + 1)))
        let spaces = { (count: Int) in
            svg("<g \((0..<count).map { "xmlns:a\($0)='b' " }.joined())/>")
        }
        #expect(isAccepted(spaces(MarkupReader.maximalSpaces - 2)))
        #expect(!isAccepted(spaces(MarkupReader.maximalSpaces)))
        #expect(!isAccepted(svg(String(repeating: " ", count: DrawingText.maximalSize))))
        // Each quotation mark takes five bytes.
        let marks = String(repeating: "\"", count: DrawingText.maximalSize / 2)
        #expect(!isAccepted(svg("<g class='\(marks)'/>")))
    }

    @Test("No beginning of a file, and no change of a byte, gives a result with script")
    func damaged() throws {
        let file = Array(
            svg(
                "<a href='javascript:evil()' onload='evil()'><![CDATA[<script>evil()</script>]]>&#60;</a>"
                    + "<script>evil()</script><style>a{fill:red}</style><!-- evil --><?evil?>"
            ).utf8
        )
        var results = 0
        for index in file.indices {
            #expect(throws: DrawingFault.self) {
                try DrawingSanitizer.sanitized(Data(file[..<index]))
            }
            for byte in "<>&\"'/=!?- x\u{0}".utf8 {
                var changed = file
                changed[index] = byte
                guard let result = try? DrawingSanitizer.sanitized(Data(changed)) else { continue }
                results += 1
                let reading = try DrawingReading(result)
                #expect(!reading.elements.contains("script"))
                #expect(!reading.attributes.contains { $0.name.hasPrefix("on") })
                #expect(!reading.attributes.contains { $0.name == "href" })
            }
        }
        #expect(results > 100)
    }
}

/// A drawing as another parser reads it.
final class DrawingReading: NSObject, XMLParserDelegate {
    private(set) var elements: [String] = []
    private(set) var attributes: [(name: String, value: String)] = []
    private(set) var text = ""
    /// What a result must not have.
    private(set) var faults: [String] = []

    init(_ file: Data) throws {
        super.init()
        let parser = XMLParser(data: file)
        parser.shouldProcessNamespaces = true
        parser.delegate = self
        try #require(parser.parse(), "\(String(decoding: file, as: UTF8.self))")
        let texts = attributes.map(\.value) + [text, String(decoding: file, as: UTF8.self)]
        for word in ["evil", "javascript", "@import", "<!", "<?", "text/html", "svg+xml"]
        where texts.contains(where: { $0.lowercased().contains(word) }) {
            faults.append(word)
        }
    }

    func parser(
        _: XMLParser,
        didStartElement name: String,
        namespaceURI space: String?,
        qualifiedName _: String?,
        attributes found: [String: String]
    ) {
        elements.append(name)
        if space != "http://www.w3.org/2000/svg" { faults.append("\(space ?? "no namespace")") }
        let active = ["script", "foreignobject", "iframe", "handler", "listener", "audio", "video"]
        if active.contains(name.lowercased()) { faults.append(name) }
        for (name, value) in found {
            let local = name.split(separator: ":").last.map(String.init) ?? name
            attributes.append((local.lowercased(), value))
            if local.lowercased().hasPrefix("on") { faults.append(name) }
            guard local == "href" else { continue }
            if !value.hasPrefix("#"), !value.hasPrefix("data:image/") { faults.append(value) }
        }
    }

    func parser(_: XMLParser, foundCharacters characters: String) { text += characters }
}

/// A drawing with some content.
func svg(_ content: String, _ attributes: String = "") -> String {
    "<svg xmlns='http://www.w3.org/2000/svg'\(attributes)>\(content)</svg>"
}
