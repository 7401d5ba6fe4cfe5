import Testing

@testable import KingfisherServer

/// Beginnings of sources that stand for others.
struct SourceReplacementTests {
    @Test(
        "A beginning is replaced, with the text of its wildcards",
        arguments: [
            ("shop://=https://a.example/x/", "shop://b/c.png", "https://a.example/x/b/c.png"),
            ("shop://=https://a.example/x/", "http://shop://", nil),
            ("s://*=https://${1}.example/i", "s://one/two", "https://one.example/i/two"),
            ("s://*/*.png=https://a/${2}-${1}", "s://x/y.png", "https://a/y-x"),
            ("s://*/*.png=https://a/${2}-${1}", "s://x/y.jpg", nil),
            ("s://*b=${1}${2}$", "s://aab/c", "aa${2}$/c"), ("s://=${", "s://a", "${a"),
        ]
    )
    func replacement(text: String, source: String, expected: String?) throws {
        let replacement = try #require(SourceReplacement(text))
        #expect(replacement.applied(to: source) == expected)
    }

    @Test("The first replacement that matches counts, and its result has to be allowed")
    func rules() throws {
        var configuration = try ServiceConfiguration(environment: [
            "IMGPROXY_URL_REPLACEMENTS": "shop://=https://a.example/; shop://b=https://b.example/"
        ])
        let rules = try configuration.grammar().sources
        #expect(try rules.reference("shop://b/c").description == "https://a.example/b/c")
        #expect(try rules.reference("http://c.example/d").description == "http://c.example/d")
        configuration.sources.allowed = ["https://b.example/"]
        let narrow = try configuration.grammar().sources
        #expect(throws: ServiceError.self) { try narrow.reference("shop://b/c") }
    }

    @Test("A replacement has a pattern", arguments: ["a", "=b", "a=b;c"])
    func malformed(text: String) {
        #expect(throws: ConfigurationError.self) {
            try ServiceConfiguration(environment: ["IMGPROXY_URL_REPLACEMENTS": text])
        }
    }

    @Test("The name after a source in Base64 has no meaning where the configuration says so")
    func names() throws {
        var configuration = ServiceConfiguration()
        configuration.urls.hasFileNames = true
        let settings = try configuration.grammar()
        let source = Base64URL.encoded("http://a.example/b.jpg".utf8)
        for path in ["\(source).png/cat.jpg", "\(source.prefix(5))/\(source.dropFirst(5)).png/cat"]
        {
            let request = try ImageRequest.parse("/_/w:5/\(path)", with: settings)
            #expect(request.source.description == "http://a.example/b.jpg")
            #expect(request.options.format == .png)
        }
        let lone = try ImageRequest.parse("/_/w:5/\(source)", with: settings)
        #expect(lone.source.description == "http://a.example/b.jpg")
        let plain = try ImageRequest.parse("/_/plain/http://a.example/b/c.png", with: settings)
        #expect(plain.source.description == "http://a.example/b/c.png")
    }
}
