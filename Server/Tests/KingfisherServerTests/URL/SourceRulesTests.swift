import Foundation
import Testing

@testable import KingfisherServer

struct SourceRulesTests {
    private static let everything: SourceRules = {
        var rules = SourceRules()
        rules.stores = Set(ObjectStore.allCases)
        rules.allowsLocalFiles = true
        return rules
    }()

    private static func allowing(_ patterns: String...) throws -> SourceRules {
        var rules = everything
        rules.allowed = try patterns.map { pattern in try SourcePattern(pattern) }
        return rules
    }

    @Test(arguments: [
        ("http://example.com/a.jpg", "http://example.com/a.jpg"),
        ("HTTPS://Example.COM:443/A.jpg", "https://example.com/A.jpg"),
        ("http://example.com:80", "http://example.com/"),
        ("http://example.com:8080?a=b", "http://example.com:8080/?a=b"),
        ("http://example.com:/a", "http://example.com/a"),
        ("http://example.com/a b/é?q=ü#part", "http://example.com/a%20b/%C3%A9?q=%C3%BC"),
        ("http://example.com/a%20b%2Fc", "http://example.com/a%20b%2Fc"),
        ("http://example.com/100%.png", "http://example.com/100%25.png"),
        ("http://example.com/a[1]|\"<>^`{}", "http://example.com/a%5B1%5D%7C%22%3C%3E%5E%60%7B%7D"),
        ("http://[2001:DB8::1]:81/a", "http://[2001:db8::1]:81/a"),
        ("http://example.com//a//b", "http://example.com//a//b"),
        ("http://example.com/a@b:c", "http://example.com/a@b:c"),
        ("local:///a/b c.jpg", "local:///a/b c.jpg"),
        ("local:////a//b", "local:///a/b"),
        ("s3://bucket/a/b.jpg", "s3://bucket/a/b.jpg"), ("gs://bucket/a", "gs://bucket/a"),
        ("abs://container/a", "abs://container/a"), ("swift://container/a", "swift://container/a"),
    ])
    func `a source is normalised`(_ text: String, _ normalised: String) throws {
        #expect(try Self.everything.reference(text).description == normalised)
    }

    @Test(arguments: [
        "", "a.jpg", "/etc/passwd", "file:///etc/passwd", "data:image/png;base64,AAAA",
        "ftp://example.com/a", "gopher://example.com/", "javascript://x/", "dict://x:11211/",
        "http:/example.com", "http:example.com", "http://", "http:///a", "http://:80/",
        "http://user@example.com/", "http://user:pass@example.com/", "http://good.example@evil/",
        "http://good.example\\@evil/", "http://good.example/\\..\\x", "http://exa mple.com/",
        "http://ex%61mple.com/", "http://bücher.example/", "http://evil。com/", "http://[::1/",
        "http://[evil.com]/", "http://::1/", "http://a:b:c/", "http://a:0/", "http://a:65536/",
        "http://a:-1/", "http://a:99999999999999999999/", "http://a:+80/", "http://a:٨٠/",
        "http://example.com/../a", "http://example.com/a/./b", "http://example.com/a/..",
        "http://example.com/%2e%2E/a", "http://example.com/a/.%2e/b", "http://example.com/..%2fa",
        "http://example.com/a%5c..%5cb", "http://example.com/..;x/a",
        "http://example.com/a\r\nHost: evil", "http://example.com/a\u{0}b", "http://example.com/\t",
        "http://example.com/../\u{301}a", "http://\u{301}example.com/",
        "local://a.jpg", "local:///", "local:///a.jpg/", "local:///a//", "local:///../a",
        "local:///a/../../b", "local:///%2e%2e/a",
        "local:///..%2Fa", "local:///a\u{0}.jpg", "local:///a\\b", "local:///./a",
        "local://host/a.jpg", "s3://", "s3://bucket", "s3://bucket/", "s3:///key", "s3://bu cket/k",
        "s3://..@evil/k", "s3://a..b/k", "s3://.a/k", "s3://bucket/../other/k",
        "s3://bucket/a?versionId=1", "s3://evil.com#/k",
        "http://\(String(repeating: "a", count: 254))/",
        "http://example.com/\(String(repeating: "a", count: 9000))",
    ])
    func `an unsafe or malformed source is refused`(_ text: String) {
        let error = #expect(throws: ServiceError.self) {
            try Self.everything.reference(text)
        }
        #expect(error?.status == 404)
        #expect(error?.message.contains("\n") == false)
    }

    @Test func `files and buckets must be configured`() {
        #expect(throws: ServiceError.self) { try SourceRules().reference("local:///a.jpg") }
        #expect(throws: ServiceError.self) { try SourceRules().reference("s3://bucket/a.jpg") }
    }

    @Test(arguments: [
        ("http://good.example", "http://good.example/a", true),
        ("http://good.example", "http://GOOD.example:80", true),
        ("HTTP://Good.Example:80/", "http://good.example/a", true),
        ("http://good.example", "http://good.example.evil/a", false),
        ("http://good.example", "http://good.example:8080/a", false),
        ("http://good.example/", "https://good.example/a", false),
        ("https://*.good.example/", "https://img.good.example/a", true),
        ("https://*.good.example/", "https://a.b.good.example/a", true),
        ("https://*.good.example", "https://evil/.good.example/a", false),
        ("https://*.good.example", "https://evil?.good.example/a", false),
        ("https://*.good.example", "https://img.good.example.evil/a", false),
        ("https://*.good.example", "https://good.example/a", false),
        ("http://good.example/images/", "http://good.example/images/a", true),
        ("http://good.example/images/", "http://good.example/images", false),
        ("http://good.example/*/public/", "http://good.example/me/public/a", true),
        ("http://good.example/*/public/", "http://good.example/a/b/public/a", false),
        ("http://good.example/a*b*c/", "http://good.example/aXbYbZc/d", true),
        ("https://", "https://any.example/a", true), ("https://", "http://any.example/a", false),
        ("s3://", "s3://bucket/a", true), ("s3://bucket", "s3://bucket/a", true),
        ("s3://bucket", "s3://bucket2/a", false), ("S3://Photos/", "s3://Photos/a", true),
        ("s3://Photos/", "s3://photos/a", false),
        ("HTTP://A.example:80", "http://a.example/a", true), ("local://", "local:///a", true),
        ("local:///public/", "local:///public/a", true),
        ("local:///public/", "local:///private/a", false), ("s3://", "local:///a", false),
    ])
    func `an allowed prefix`(_ pattern: String, _ source: String, _ isAllowed: Bool) throws {
        let rules = try Self.allowing(pattern)
        let reference = try? rules.reference(source)
        #expect((reference != nil) == isAllowed)
    }

    @Test(arguments: [
        "http://good.example@evil/", "http://good.example%40evil/", "http://good.example\\.evil/",
        "http://good.example#.evil/x", "http://good.example:80@evil/", "http://good.example.evil/",
        "http://good.exampleevil/", "http://evil/http://good.example/", "//good.example/",
        "http://evil#http://good.example/", "http://evil?http://good.example/",
        "http://good.example/images/../private/a", "http://good.example/images/%2e%2e/private/a",
        "http://good.example/images/%2e%2e%2fprivate/a", "HTTP://EVIL/good.example/images/",
    ])
    func `an allowed prefix cannot be bypassed`(_ source: String) throws {
        let rules = try Self.allowing("http://good.example/images/")
        #expect(throws: ServiceError.self) { try rules.reference(source) }
        let open = try Self.allowing("http://good.example")
        if case .web(let url)? = try? open.reference(source) {
            #expect(url.host() == "good.example")
        }
    }

    @Test func `any of several prefixes is enough`() throws {
        let rules = try Self.allowing("s3://bucket/", "https://good.example/")
        #expect(throws: Never.self) { try rules.reference("https://good.example/a") }
        #expect(throws: Never.self) { try rules.reference("s3://bucket/a") }
        #expect(throws: ServiceError.self) { try rules.reference("https://other.example/a") }
    }

    @Test(arguments: ["", "good.example/", "://x", "*", "http:/x"])
    func `an allowed prefix needs a scheme`(_ text: String) {
        #expect(throws: InvalidSetting.self) { try SourcePattern(text) }
    }

    @Test(arguments: [
        ("http://example.com/images", "/a.jpg", "http://example.com/images/a.jpg"),
        ("http://example.com/images/", "a.jpg", "http://example.com/images/a.jpg"),
        ("http://example.com/x-", "a.jpg", "http://example.com/x-a.jpg"),
        ("http://example.com", "a.jpg", "http://example.com/a.jpg"),
        ("http://example.com", "/a.jpg", "http://example.com/a.jpg"),
        ("http://example.com", ".evil.com/a", "http://example.com/.evil.com/a"),
        ("http://example.com", "@evil.com/a", "http://example.com/@evil.com/a"),
        ("http://example.com", ":81/a", "http://example.com/:81/a"),
        ("http://example.com/i", "http://example.com/i/a", "http://example.com/i/a"),
        (
            "http://example.com", "http://example.com.evil/",
            "http://example.com/http://example.com.evil/"
        ),
        ("https://", "example.com/a", "https://example.com/a"),
        ("local://", "a/b.jpg", "local:///a/b.jpg"),
        ("local:///root", "/b.jpg", "local:///root/b.jpg"),
        ("s3://bucket", "2/secret", "s3://bucket/2/secret"), ("s3://", "bucket/a", "s3://bucket/a"),
    ])
    func `the base stands before a source`(_ base: String, _ text: String, _ full: String) throws {
        var rules = Self.everything
        rules.base = base
        #expect(try rules.reference(text).description == full)
    }
}
