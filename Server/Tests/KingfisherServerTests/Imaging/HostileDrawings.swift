import Foundation

/// Drawings that try to run something, to load something, or to lead away.
enum HostileDrawings {
    private static let link = " xmlns:xlink='http://www.w3.org/1999/xlink'"

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func joined(_ parts: String...) -> String { parts.joined() }

    /// Drawings whose hostile parts are left out; all have a path that is kept.
    static let leftOut: [String] = bodies.map { svg($0 + "<path d='M0 0h9v9z'/>", link) } + whole

    private static let bodies: [String] = [
        // Elements.
        "<script>evil()</script>",
        "<script href='https://evil.example/a.js'/>",
        "<script><![CDATA[evil()]]></script>",
        "<SCRIPT>evil()</SCRIPT>",
        "<s:script xmlns:s='http://www.w3.org/2000/svg'>evil()</s:script>",
        "<g><g><defs><script>evil()</script></defs></g></g>",
        "<script xmlns='http://www.w3.org/1999/xhtml'>evil()</script>",
        "<h:script xmlns:h='http://www.w3.org/1999/xhtml'>evil()</h:script>",
        "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml' onload='evil()'>evil</body></foreignObject>",
        "<h:iframe xmlns:h='http://www.w3.org/1999/xhtml' src='https://evil.example'/>",
        "<iframe src='javascript:evil()'/>",
        "<handler type='text/ecmascript'>evil()</handler>",
        "<h:img xmlns:h='http://www.w3.org/1999/xhtml' src='x' onerror='evil()'/>",
        "<x:a xmlns:x='urn:x'><script>evil()</script></x:a>",
        "<metadata><script>evil()</script></metadata>",
        "<title><h:script xmlns:h='http://www.w3.org/1999/xhtml'>evil()</h:script></title>",
        "<video href='https://evil.example/a.mp4'/>",
        "<font-face-uri href='https://evil.example/a.woff'/>",
        "<color-profile xlink:href='https://evil.example/a.icc'/>",
        "<style><script xmlns='http://www.w3.org/2000/svg'>evil()</script></style>",
        // Handlers.
        "<g onload='evil()'/>", "<g onclick='evil()'/>", "<g ONLOAD='evil()'/>",
        "<g onload=\n'evil()'/>",
        "<animate attributeName='x' onbegin='evil()'/>",
        "<g e:onload='evil()' xmlns:e='http://www.w3.org/2001/xml-events'/>",
        "<g s:onload='evil()' xmlns:s='http://www.w3.org/2000/svg'/>",
        // Links.
        "<a href='javascript:evil()'/>", "<a xlink:href='javascript:evil()'/>",
        "<a href='&#106;avascript:evil()'/>", "<a href='&#x6A;&#x61;vascript&#58;evil()'/>",
        "<a href='java&#10;script:evil()'/>", "<a href='java&#9;script:evil()'/>",
        "<a href=' &#32; JaVaScRiPt:evil()'/>", "<a href='vbscript:evil()'/>",
        "<a y:href='javascript:evil()' xmlns:y='http://www.w3.org/1999/xlink'/>",
        "<a href='https://evil.example'/>", "<a href='//evil.example'/>", "<a href='/evil'/>",
        "<a href='evil.svg#a'/>", "<a href='data:text/html,evil'/>",
        "<a xml:base='https://evil.example' href='#a'/>",
        "<a href='# evil'/>", "<a href='#a&#10;evil'/>",
        "<use href='https://evil.example/a.svg#a'/>", "<use xlink:href='evil.svg#a'/>",
        "<use href='data:image/svg+xml;base64,\(base64(svg("<script>evil()</script>")))#a'/>",
        "<use href='data:image/png;base64,iVBORw0KGgoA'/>".replacing("png", with: "svg+xml"),
        "<image href='https://evil.example/a.png'/>", "<image href='file:///evil'/>",
        "<image href='data:image/svg+xml,&lt;svg onload=&quot;evil()&quot;/&gt;'/>",
        "<image href='data:image/svg+xml;base64,\(base64(svg("<script>evil()</script>")))'/>",
        "<image href='DATA:IMAGE/SVG+XML;base64,\(base64(svg("")))'/>",
        "<image href='data:image/png,evil'/>",
        "<image href='data:image/png;charset=evil;base64,iVBORw0KGgoA'/>",
        "<image href='data:image/png;base64,\(base64(svg("<script>evil()</script>")))'/>"
            .replacing("evil", with: "good"),
        "<image href='data:text/html;base64,\(base64("<script>evil()</script>"))'/>",
        "<image xlink:href='data:image/png;base64,iVBORw0KGgoA#evil'/>",
        "<feImage href='https://evil.example/a.png'/>",
        "<linearGradient xlink:href='https://evil.example/a.svg#a'/>",
        "<textPath href='https://evil.example/a.svg#a'/>",
        "<mpath xlink:href='https://evil.example/a.svg#a'/>",
        // Animations.
        "<a href='#b'><set attributeName='href' to='javascript:evil()'/></a>",
        "<a href='#b'><animate attributeName='xlink:href' values='javascript:evil();#a'/></a>",
        "<a href='#b'><set attributeName=' href ' to='javascript:evil()'/></a>",
        "<set attributeName='onload' to='evil()'/>", "<set to='javascript:evil()'/>",
        "<animate attributeName='&#104;ref' from='javascript:evil()'/>",
        "<animate attributeName='style' to='fill:url(https://evil.example)'/>",
        "<set attributeName='fill' to='url(https://evil.example#a)'/>",
        "<discard href='#evil'/>",
        // Styles.
        "<g fill='url(https://evil.example/a.svg#a)'/>", "<g filter='url(evil.svg#a)'/>",
        "<g mask='URL( \"https://evil.example#a\" )'/>", "<g clip-path='url(//evil.example#a)'/>",
        "<g style='background:url(https://evil.example)'/>",
        "<g style='fill:url(#a);background:url(https://evil.example)'/>",
        "<g style='background:\\75rl(https://evil.example)'/>",
        "<g style='background:ur\\6c (https://evil.example)'/>",
        "<g style='background:&#117;rl(https://evil.example)'/>",
        "<g style='background:url(/**/#a https://evil.example)'/>",
        "<g style='width:expression(evil())'/>",
        "<g style='-moz-binding:url(https://evil.example#a)'/>",
        "<g style='behavior:url(evil.htc)'/>",
        "<g style='background:image-set(\"https://evil.example\" 1x)'/>",
        "<g style='background:image(\"https://evil.example\")'/>",
        "<g style='background:src(\"https://evil.example\")'/>",
        "<g style='background:-webkit-image-set(\"https://evil.example\" 1x)'/>",
        "<g style='--a:url(https://evil.example);fill:var(--a)'/>",
        "<g cursor='url(https://evil.example/a.cur)'/>",
        // Comments and instructions.
        "<!-- evil --><?evil evil?>", "<![CDATA[]]>",
    ]

    private static let whole: [String] = [
        joined(
            "<?xml-stylesheet href='https://evil.example/a.css' type='text/css'?>",
            svg("<path/>")
        ),
        joined("<!DOCTYPE svg SYSTEM 'https://evil.example/a.dtd'>", svg("<path/>")),
        svg("<path/>", " onload='evil()' xmlns:evil='urn:evil' evil:a='b'"),
        joined("<!-- evil -->", svg("<path/>"), "<!-- evil -->\n<?evil?>"),
        svg("<path/>", " xmlns:xlink='urn:other' xlink:href='https://evil.example'"),
    ]

    /// Drawings that cannot be made harmless, or are no XML.
    static let refused: [String] = [
        // Entities.
        joined("<!DOCTYPE svg [<!ENTITY a 'evil'>]>", svg("<text>&a;</text>")),
        joined("<!DOCTYPE svg [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>", svg("<text>&a;</text>")),
        joined("<!DOCTYPE svg [<!ENTITY % a SYSTEM 'https://evil.example'> %a;]>", svg("")),
        joined("<!DOCTYPE svg [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>", svg("&b;")),
        joined("<!DOCTYPE svg [<!ATTLIST svg onload CDATA 'evil()'>]>", svg("")),
        joined("<!DOCTYPE svg SYSTEM 'a' [ ]>", svg("")),
        svg("<text>&evil;</text>"), svg("<text>&nbsp;</text>"), svg("<text>&#0;</text>"),
        svg("<text>&#xD800;</text>"), svg("<text>&#xFFFE;</text>"), svg("<text>&#x110000;</text>"),
        svg("<text>&#-1;</text>"), svg("<text>&lt</text>"), svg("<text>a & b</text>"),
        svg("<text>\u{1}</text>"), svg("<text>\u{FFFF}</text>"),
        // Style sheets.
        svg("<style>@import 'https://evil.example/a.css';</style>"),
        svg("<style>@import url(https://evil.example/a.css);</style>"),
        svg("<style>@IMPORT \"https://evil.example/a.css\";</style>"),
        svg("<style><![CDATA[@import 'https://evil.example/a.css';]]></style>"),
        svg("<style>@im<![CDATA[port]]> 'https://evil.example/a.css';</style>"),
        svg("<style>@im<!-- -->port 'https://evil.example/a.css';</style>"),
        svg("<style>&#64;import 'https://evil.example/a.css';</style>"),
        svg("<style>@\\69mport 'https://evil.example/a.css';</style>"),
        svg("<style>a{fill:url(https://evil.example)}</style>"),
        svg("<style>a{fill:u<g/>rl(https://evil.example)}</style>"),
        svg("<style>@font-face{src:url(https://evil.example/a.woff)}</style>"),
        svg("<style>@charset 'utf-7';</style>"), svg("<style>@namespace 'evil';</style>"),
        svg("<style>a{}&lt;/style>&lt;img src=x onerror=evil()></style>"),
        svg("<style><![CDATA[</style><script>evil()</script>]]></style>"),
        svg("<style type='text/less'>a{}</style>"),
        // No drawings, and no XML.
        "", " ", "evil", "<svg/>", "<svg xmlns='urn:evil'/>",
        "<SVG xmlns='http://www.w3.org/2000/svg'/>",
        "<html xmlns='http://www.w3.org/1999/xhtml'>\(svg(""))</html>",
        "<script xmlns='http://www.w3.org/2000/svg'>evil()</script>",
        joined(svg(""), svg("")), joined(svg(""), "evil"), joined("evil", svg("")),
        joined(svg(""), "<![CDATA[]]>"),
        svg("<g>"), svg("</g>"), svg("<g></a>"), svg("<g></G>"), svg("<g/ >"), svg("<g"),
        svg("<g a=b/>"), svg("<g a/>"), svg("<g a='<'/>"), svg("<g id='1' id='2'/>"),
        svg("<g id='1'class='2'/>"), svg("<1/>"), svg("<p:g/>"), svg("<g p:a=''/>"),
        svg("<a:b:c/>"),
        svg(
            "<a x:href='#a' y:href='#b'/>",
            " xmlns:x='http://www.w3.org/1999/xlink' xmlns:y='http://www.w3.org/1999/xlink'"
        ),
        svg("<g/>", " xmlns:xml='http://www.w3.org/2000/svg'"), svg("<!DOCTYPE svg>"),
        svg("<!ELEMENT a>"), svg("<!-- "), svg("<![CDATA["), svg("<? "),
    ]
}
