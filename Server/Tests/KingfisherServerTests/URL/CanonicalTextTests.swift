import Foundation
import Testing

@testable import KingfisherServer

struct CanonicalTextTests {
    private func key(_ segments: String, source: String = "http://a/b") throws -> String {
        let path = "/_/\(segments)/plain/\(source)"
        return try ImageRequest.parse(path, with: GrammarSettings(), now: .distantPast).canonicalKey
    }

    @Test(arguments: [
        ("rs:fill:300:400:1", "w:300/h:400/rt:fill/el:t"), ("w:300/q:5", "q:5/w:300"),
        ("w:1/w:2", "w:2"), ("z:2", "zoom:2.0:2"), ("bg:fff", "background:255:255:255"),
        ("rot:-90", "rot:270"), ("pd:5", "pd:5:5:5:5"), ("skp:png:gif", "skp:gif/skp:png"),
        ("fq:png:1:gif:2", "fq:gif:2:png:1"), ("f:jpeg", "ext:jpg"), ("a:1:2:3", "br:1/co:2/sa:3"),
        (
            "w:0/bl:0/pix:1/dpr:1/wm:0/pd:0/c:0:0/gr:0/wms:0:0/rd:0/q:0/co:1/el:0/mc:0:fff/ex:0:no",
            "w:"
        ),
        ("w:1/fn:a", "w:1"), ("w:1/att:1", "w:1"), ("w:1/exp:4102444800", "w:1"),
        ("c:10:10", "c:10.0:1e1"), ("g:ce", "w:"), ("bl:0.10", "bl:.1"),
    ])
    func `URLs with the same meaning share a key`(_ one: String, _ other: String) throws {
        #expect(try key(one) == key(other))
    }

    @Test(arguments: [
        ("w:1", "w:2"), ("w:1", "h:1"), ("cb:1", "cb:2"), ("cb:1", "w:"), ("c:1:1", "c:1:1:ce"),
        ("raw:1", "raw:0"), ("info/th:1", "info/bh:1"), ("sm:0", "sm:1"), ("sm:0", "w:"),
        ("cb:a%2Fb", "cb:a/w:"),
        ("z:2:3", "z:3:2"), ("ex:1", "exar:1"), ("wm:1:re", "wm:1"), ("q:79", "q:80"),
    ])
    func `URLs with different meanings have different keys`(
        _ one: String,
        _ other: String
    ) throws {
        #expect((try? key(one)) != (try? key(other)))
    }

    @Test func `sources and kinds are part of the key`() throws {
        #expect(try key("w:1") != key("w:1", source: "http://a/c"))
        #expect(try key("w:1", source: "http://a:80/b") == key("w:1", source: "HTTP://A/b%23x"))
        let information = try ImageRequest.parse(
            "/_/info/w:1/plain/http://a/b",
            with: GrammarSettings()
        )
        #expect(try information.canonicalKey != key("w:1"))
    }

    @Test func `signatures of sources are not part of the key if a rule says so`() throws {
        var configuration = ServiceConfiguration()
        configuration.sources.ignoredQueryItems = ["X-Amz-*", "token"]
        let settings = try configuration.grammar()
        func key(_ source: String) throws -> String {
            try ImageRequest.parse("/_/w:1/plain/\(source)", with: settings).canonicalKey
        }
        let plain = try key("http://a/b%3Fv=1")
        #expect(try key("http://a/b%3Fv=1&X-Amz-Signature=2&token=3") == plain)
        #expect(try key("http://a/b%3Fv=2&token=3") != plain)
        #expect(try self.key("w:1", source: "http://a/b%3Fv=1&token=3") != plain)
    }

    /// Swift compares strings by their characters: é may be one scalar or two.
    @Test func `files whose names differ only in their bytes have different keys`() throws {
        var settings = GrammarSettings()
        settings.sources.allowsLocalFiles = true
        settings.sources.stores = [.s3]
        for start in ["local:///", "s3://bucket/"] {
            let keys = try ["%C3%A9", "e%CC%81"].map { name in
                try ImageRequest.parse("/_/plain/\(start)\(name).jpg", with: settings).canonicalKey
            }
            #expect(keys[0] != keys[1])
        }
    }

    @Test func `the notation is stable`() throws {
        let all =
            "cb:x%20y/rs:fill:300:400:1:1:no/g:fp:0.5:0.25/c:0.5:100:sm/t:5:f00:1/pd:1/ar:0/rot:90"
            + "/fl:1/rd:4/bg:fff/bl:1/sh:2/pix:3/a:4:5:6/mc:0.5:fff/wm:0.5:re:1:2:3/q:70/fq:webp:60"
            + "/mb:9/aq:dssim:0.01/f:webp/sm:1/kcr:0/scp:1/skp:gif/raw:1/z:2/dpr:3/mw:1/mh:2/exar:1"
        let expected =
            "resizing_type:fill/width:300/height:400/min-width:1/min-height:2/zoom:2:2/dpr:3/enlarge:1"
            + "/extend:1:no/extend_aspect_ratio:1/gravity:fp:0.5:0.25/crop:0.5:100:sm/trim:5:ff0000:1:0"
            + "/padding:1:1:1:1/auto_rotate:0/rotate:90/flip:1:0/round:4/background:ffffff/blur:1"
            + "/sharpen:2/pixelate:3/brightness:4/contrast:5/saturation:6/monochrome:0.5:ffffff"
            + "/watermark:0.5:re:1:2:3/quality:70/format_quality:webp:60/max_bytes:9"
            + "/autoquality:dssim:0.01:::/format:webp/strip_metadata:1/keep_copyright:0"
            + "/strip_color_profile:1/skip_processing:gif/raw:1/cachebuster:x%20y/plain/http://a/b"
        #expect(try key(all) == expected)
    }
}
