import Foundation
import Testing

@testable import KingfisherServer

struct NegotiationTests {
    private func request(_ options: String = "w:1", kind: String = "") throws -> ImageRequest {
        try ImageRequest.parse("/_\(kind)/\(options)/plain/http://a/b", with: GrammarSettings())
    }

    private func negotiate(
        _ options: String = "w:1",
        accept: String? = nil,
        _ change: (inout NegotiationSettings) -> Void = { _ in }
    ) throws -> NegotiatedRequest {
        var settings = NegotiationSettings()
        change(&settings)
        var headers = NegotiationHeaders()
        headers.accept = accept
        return try Negotiation.negotiate(request(options), headers: headers, settings: settings)
    }

    private static let chrome = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"

    @Test(
        arguments: [
            (nil, []), ("", []), ("*/*", []), ("image/*", []), ("text/html", []),
            (chrome, [.avif, .webp]), ("IMAGE/WebP", [.webp]), ("image/webp;q=0", []),
            ("image/webp;q=0.000", []), ("image/webp;q=x", []), ("image/webp;q=", []),
            ("image/webp;q=2", []), ("image/webp;q=nan", []), ("image/webp;q=-1", []),
            ("image/webp;q=1e0", []), ("image/webp; q=0.5 , image/avif;q=0.4", [.webp, .avif]),
            ("image/jxl,image/avif", [.jxl, .avif]), ("image/webp;a=b;q=0.1", [.webp]),
            (",,;;=,image/webp", [.webp]), ("image/webpx", []), ("ximage/webp", []),
            ("image/webp;q=0,image/webp", [.webp]), (String(repeating: "a,", count: 99_999), []),
        ] as [(String?, [OutputFormat])]
    )
    func `formats that a client accepts by name`(_ accept: String?, _ formats: [OutputFormat]) {
        #expect(AcceptHeader(accept).accepted(of: [.jxl, .avif, .webp]) == formats)
    }

    @Test func `an automatic format, if the URL names none`() throws {
        let settings: (inout NegotiationSettings) -> Void = { $0.automatic = [.avif, .webp] }
        let modern = try negotiate(accept: Self.chrome, settings)
        #expect(
            modern.outcome(for: .jpeg, hasTransparency: false, isAnimated: false) == .encode(.avif)
        )
        #expect(
            modern.outcome(for: .gif, hasTransparency: true, isAnimated: true) == .encode(.webp)
        )
        #expect(modern.vary == ["Accept"])
        let old = try negotiate(accept: "*/*", settings)
        #expect(
            old.outcome(for: .jpeg, hasTransparency: false, isAnimated: false) == .encode(.jpeg)
        )
        #expect(old.vary == ["Accept"])
        #expect(old.canonicalKey != modern.canonicalKey)
        let explicit = try negotiate("f:png", accept: Self.chrome, settings)
        #expect(
            explicit.outcome(for: .jpeg, hasTransparency: false, isAnimated: false) == .encode(.png)
        )
        #expect(explicit.vary.isEmpty)
    }

    @Test func `an enforced format, whatever the URL names`() throws {
        let settings: (inout NegotiationSettings) -> Void = { $0.enforced = [.avif] }
        let modern = try negotiate("f:png", accept: Self.chrome, settings)
        #expect(
            modern.outcome(for: .jpeg, hasTransparency: true, isAnimated: false) == .encode(.avif)
        )
        #expect(modern.outcome(for: .gif, hasTransparency: true, isAnimated: true) == .encode(.png))
        #expect(modern.vary == ["Accept"])
        let old = try negotiate("f:png", accept: nil, settings)
        #expect(old.outcome(for: .jpeg, hasTransparency: true, isAnimated: false) == .encode(.png))
    }

    @Test func `a format without an encoder is never chosen`() throws {
        let both: (inout NegotiationSettings) -> Void = {
            $0.automatic = [.jxl]
            $0.enforced = [.jxl]
        }
        let result = try negotiate(accept: "image/jxl", both)
        #expect(
            result.outcome(for: .jxl, hasTransparency: false, isAnimated: false) == .encode(.jpeg)
        )
        #expect(result.vary.isEmpty)
        #expect(throws: ServiceError.self) { try negotiate("f:jxl") }
        let built = try negotiate("f:jxl") { $0.writable?.insert(.jxl) }
        #expect(built.outcome(for: nil, hasTransparency: true, isAnimated: false) == .encode(.jxl))
    }

    @Test(
        arguments: [
            (.jpeg, false, false, .jpeg), (.png, true, false, .png), (nil, false, false, .jpeg),
            (nil, true, false, .png), (nil, true, true, .gif), (.png, false, true, .gif),
            (.webp, true, true, .webp), (.avif, true, true, .gif),
        ] as [(OutputFormat?, Bool, Bool, OutputFormat)]
    )
    func `without negotiation the source's own format, or one that can represent it`(
        _ source: OutputFormat?,
        _ hasTransparency: Bool,
        _ isAnimated: Bool,
        _ chosen: OutputFormat
    ) throws {
        let outcome = try negotiate()
            .outcome(for: source, hasTransparency: hasTransparency, isAnimated: isAnimated)
        #expect(outcome == .encode(chosen))
    }

    @Test func `preferred formats in their order`() throws {
        let result = try negotiate { $0.preferred = [.jpeg, .webp, .png] }
        #expect(
            result.outcome(for: .png, hasTransparency: false, isAnimated: false) == .encode(.png)
        )
        #expect(
            result.outcome(for: .avif, hasTransparency: false, isAnimated: false) == .encode(.jpeg)
        )
        #expect(
            result.outcome(for: .avif, hasTransparency: true, isAnimated: false) == .encode(.webp)
        )
        let only = try negotiate { $0.preferred = [.jpeg] }
        #expect(only.outcome(for: .png, hasTransparency: true, isAnimated: false) == .encode(.jpeg))
    }

    @Test func `a background removes transparency, round corners add it`() throws {
        let flat = try negotiate("bg:fff")
        #expect(flat.outcome(for: nil, hasTransparency: true, isAnimated: false) == .encode(.jpeg))
        let round = try negotiate("rd:10")
        #expect(
            round.outcome(for: .jpeg, hasTransparency: false, isAnimated: false) == .encode(.png)
        )
        let named = try negotiate("rd:10/f:jpg")
        #expect(
            named.outcome(for: .png, hasTransparency: true, isAnimated: false) == .encode(.jpeg)
        )
    }

    @Test func `processing is skipped if the format stays the same`() throws {
        let result = try negotiate("skp:gif:png") { $0.skipProcessing = [.webp] }
        for format in [OutputFormat.gif, .png, .webp] {
            let outcome = result.outcome(for: format, hasTransparency: true, isAnimated: false)
            #expect(outcome == .passThrough)
        }
        #expect(
            result.outcome(for: .jpeg, hasTransparency: false, isAnimated: false) == .encode(.jpeg)
        )
        let wide = Extent(width: 20_000, height: 1)
        let outcome = result.outcome(
            for: .webp,
            hasTransparency: true,
            isAnimated: false,
            size: wide
        )
        #expect(outcome == .passThrough)
        let other = try negotiate("skp:gif/f:png")
        #expect(other.outcome(for: .gif, hasTransparency: true, isAnimated: false) == .encode(.png))
    }

    @Test func `raw sources and information are not negotiated`() throws {
        let settings: (inout NegotiationSettings) -> Void = {
            $0.enforced = [.webp]
            $0.usesClientHints = true
        }
        let raw = try negotiate("raw:1/f:jxl", accept: Self.chrome, settings)
        #expect(raw.outcome(for: .jpeg, hasTransparency: false, isAnimated: false) == .passThrough)
        #expect(raw.vary.isEmpty)
        var configuration = NegotiationSettings()
        settings(&configuration)
        let information = try Negotiation.negotiate(
            request(kind: "/info"),
            headers: NegotiationHeaders(),
            settings: configuration
        )
        #expect(information.vary.isEmpty)
    }

    @Test func `fields that web sources get are named by Vary, also for raw ones`() throws {
        let settings: (inout NegotiationSettings) -> Void = {
            $0.automatic = [.webp]
            $0.passedHeaders = ["cookie", "x-tenant"]
        }
        #expect(try negotiate("w:1", settings).vary == ["cookie", "x-tenant", "Accept"])
        #expect(try negotiate("raw:1", settings).vary == ["cookie", "x-tenant"])
        var configured = NegotiationSettings()
        settings(&configured)
        var grammar = GrammarSettings()
        grammar.sources.allowsLocalFiles = true
        let local = try Negotiation.negotiate(
            ImageRequest.parse("/_/raw:1/plain/local:///a", with: grammar),
            headers: NegotiationHeaders(),
            settings: configured
        )
        #expect(local.vary.isEmpty)
    }

    private func hinted(
        _ options: String,
        isOn: Bool = true,
        _ change: (inout NegotiationHeaders) -> Void
    ) throws -> NegotiatedRequest {
        var headers = NegotiationHeaders()
        change(&headers)
        var settings = NegotiationSettings()
        settings.usesClientHints = isOn
        return try Negotiation.negotiate(request(options), headers: headers, settings: settings)
    }

    @Test func `client hints set the width and the factor`() throws {
        let result = try hinted("h:50") { ($0.width, $0.dpr) = ("600", "2.0") }
        #expect(result.request.options.dpr == 2)
        #expect(result.request.options.width == 300)
        #expect(result.request.options.height == 50)
        #expect(result.vary == ["Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width"])
    }

    @Test func `newer hints win over older ones`() throws {
        let result = try hinted("h:50") {
            ($0.width, $0.dpr, $0.secCHWidth, $0.secCHDPR) = ("600", "2", "100", "1")
        }
        #expect(result.request.options.width == 100)
        #expect(result.request.options.dpr == 1)
    }

    @Test func `the URL wins over client hints`() throws {
        let result = try hinted("w:10/dpr:3") { ($0.width, $0.dpr) = ("600", "2") }
        #expect(result.request.options.width == 10)
        #expect(result.request.options.dpr == 3)
        #expect(result.vary.isEmpty)
        let half = try hinted("dpr:3") { $0.width = "600" }
        #expect(half.request.options.width == 200)
        #expect(half.vary == ["Sec-CH-Width", "Width"])
    }

    @Test(arguments: [
        "", "0", "-1", "nan", "inf", "1e3", "0x10", "99999999999999999999", "1e400", "abc",
        "600,600",
        "1.2.3", "٣", "16385", String(repeating: "1", count: 99_999),
    ])
    func `hints out of bounds are ignored`(_ text: String) throws {
        let result = try hinted("h:5") { ($0.width, $0.dpr) = (text, text) }
        #expect(result.request.options.width == 0)
        #expect(result.request.options.dpr == nil)
    }

    @Test func `hints are ignored unless they are enabled`() throws {
        let result = try hinted("h:5", isOn: false) { ($0.width, $0.dpr) = ("600", "2") }
        #expect(try result.request == request("h:5"))
        #expect(result.vary.isEmpty)
    }
}
