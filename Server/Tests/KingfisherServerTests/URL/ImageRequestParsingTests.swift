import Foundation
import Testing

@testable import KingfisherServer

struct ImageRequestParsingTests {
    private let source = "http://example.com/a.jpg"
    private let encoded = "aHR0cDovL2V4YW1wbGUuY29tL2EuanBn"

    private func parse(
        _ path: String,
        _ change: (inout GrammarSettings) throws -> Void = { _ in }
    ) throws -> ImageRequest {
        var settings = GrammarSettings()
        try change(&settings)
        return try ImageRequest.parse(path, with: settings, now: Date(timeIntervalSince1970: 1000))
    }

    private func status(
        _ path: String,
        _ change: (inout GrammarSettings) throws -> Void = { _ in }
    ) -> Int? {
        let error = #expect(throws: ServiceError.self) { try parse(path, change) }
        return error?.status
    }

    @Test func `a source in plain text`() throws {
        let request = try parse("/_/rs:fill:300:400/plain/http://example.com/a.jpg@webp?v=1")
        #expect(request.kind == .image)
        #expect(request.source.description == source)
        #expect(request.options.width == 300)
        #expect(request.options.height == 400)
        #expect(request.options.resizingType == .fill)
        #expect(request.options.format == .webp)
    }

    @Test func `a source in Base64, also divided by slashes, padded, and with an extension`() throws
    {
        let divided = "aHR0cDov/L2V4YW1wb/GUuY29tL2EuanBn"
        for text in [encoded, divided, encoded + "?x", encoded + "."] {
            #expect(try parse("/_/\(text)").source.description == source)
        }
        #expect(try parse("/_/w:1/\(divided).jpeg").options.format == .jpeg)
        let padded = "aHR0cDovL2V4YW1wbGUuY29tL2EucG5nPw"
        #expect(try parse("/_/\(padded)==").source == parse("/_/\(padded)").source)
        #expect(try parse("/_/\(padded)%3D%3D.png").options.format == .png)
    }

    @Test func `information about a source`() throws {
        let request = try parse("/_/info/thumbhash:1/blurhash:t/plain/http://example.com/a.jpg")
        #expect(request.kind == .info)
        #expect(request.options.wantsThumbHash)
        #expect(request.options.wantsBlurHash)
        #expect(try parse("/_/info/\(encoded)").source.description == source)
    }

    @Test(arguments: ["th:1", "thumbhash:0", "w:5/bh:t", "blurhash:"])
    func `an option of information is refused in the URL of an image`(options: String) throws {
        let error = #expect(throws: ServiceError.self) {
            try parse("/_/\(options)/plain/http://example.com/a.jpg")
        }
        #expect(error?.status == 404)
        #expect(error?.message.contains("hash: it is only for information") == true)
    }

    @Test func `a plain source is decoded once`() throws {
        let request = try parse("/_/plain/http%3A%2F%2Fexample.com%2Fa%2520b%3Fc%3Dd%40e%2525")
        #expect(request.source.description == "http://example.com/a%20b?c=d@e%25")
    }

    @Test func `the extension wins over the option`() throws {
        #expect(try parse("/_/f:png/plain/http://example.com/a@gif").options.format == .gif)
        #expect(try parse("/_/f:png/plain/http://example.com/a@").options.format == .png)
    }

    @Test(arguments: [
        "", "/", "//", "/_", "/_/", "_/plain/http://example.com/a",
        "/_/plain", "/_/plain/", "/_/w:1", "/_/w:1/", "/_/w:1/plain/", "/_/info", "/_/info/",
        "/_/plain/http://a/b@png@png", "/_/plain/http://a/b@exe", "/_/plain/http://a/%zz",
        "/_/plain/http://a/%", "/_/plain/http://a/%ff",
        "/_/aHR0cDovL2E.png.png", "/_/aHR0cDovL2E.exe", "/_/raw/aHR0cDovL2E", "/_/A", "/_/gIA",
        "/_/enc/aHR0cDovL2E", "/_/nothing:1/plain/http://a/b", "/_/w:1/plain/file:///etc/passwd",
        "/_/w%3a%zz/plain/http://a/b", "/_/:/plain/http://a/b", "/_/::::/plain/http://a/b",
    ])
    func `a malformed path is 404`(_ path: String) {
        #expect(status(path) == 404)
    }

    @Test func `long paths and long lists of options are refused`() {
        #expect(status("/_/cb:" + String(repeating: "a", count: 17000) + "/\(encoded)") == 404)
        let many = String(repeating: "/w:1", count: 101)
        #expect(status("/_\(many)/\(encoded)") == 404)
        #expect(throws: Never.self) { try parse("/_\(many.dropFirst(4))/\(encoded)") }
    }

    @Test func `the signature covers the path as it arrived`() throws {
        let keys = SignatureKeys([.init(key: [0xAA], salt: [0xBB])])
        let sign: (inout GrammarSettings) -> Void = { $0.signature = keys }
        let rest = "/w:1/plain/http%3A%2F%2Fexample.com%2Fa"
        let signature = keys.signature(of: rest)
        #expect(throws: Never.self) { try parse("/\(signature)\(rest)", sign) }
        #expect(throws: Never.self) { try parse("/\(signature)\(rest)?query", sign) }
        #expect(status("/\(signature)\(rest.replacing("%3A", with: ":"))", sign) == 403)
        #expect(status("/\(signature)/info\(rest)", sign) == 403)
        #expect(status("/_\(rest)", sign) == 403)
        #expect(status("//\(rest)", sign) == 403)
    }

    @Test func `a prefix of paths`() throws {
        let keys = SignatureKeys([.init(key: [0xAA], salt: [0xBB])])
        let rest = "/w:1/\(encoded)"
        let path = "/\(keys.signature(of: rest))\(rest)"
        for prefix in ["/images/v1", "images/v1/", "/images/v1/"] {
            let change: (inout GrammarSettings) -> Void = {
                $0.pathPrefix = prefix
                $0.signature = keys
            }
            #expect(try parse("/images/v1\(path)", change).options.width == 1)
            for wrong in [
                path, "/images\(path)", "/images/v12\(path)", "/images/v1", "/images/v1/",
            ] {
                #expect(status(wrong, change) == 404)
            }
        }
    }

    @Test func `another separator of arguments`() throws {
        let request = try parse("/_/rs,fill,300/cb,a:b/plain/http://example.com/a") {
            $0.argumentsSeparator = ","
        }
        #expect(request.options.width == 300)
        #expect(request.options.cacheBuster == "a:b")
        let long = try parse("/_/w~~5/plain/http://a/b") { $0.argumentsSeparator = "~~" }
        #expect(long.options.width == 5)
    }

    @Test func `an encoded separator and encoded arguments`() throws {
        #expect(try parse("/_/rs%3Afill%3A300/\(encoded)").options.width == 300)
        #expect(try parse("/_/cb:a%2Fb%3Ac/\(encoded)").options.cacheBuster == "a/b:c")
    }

    @Test func `an expired URL is 404`() throws {
        #expect(status("/_/exp:999/\(encoded)") == 404)
        #expect(throws: Never.self) { try parse("/_/exp:1000/\(encoded)") }
        #expect(throws: Never.self) { try parse("/_/exp:1001/\(encoded)") }
    }

    @Test func `only allowed options, by any of their names`() throws {
        for name in ["width", "w"] {
            let change: (inout GrammarSettings) -> Void = { $0.allowedOptions = [name] }
            #expect(throws: Never.self) { try parse("/_/w:1/width:2/\(encoded)", change) }
            #expect(throws: Never.self) { try parse("/_/w:1/\(encoded).png", change) }
            #expect(status("/_/h:1/\(encoded)", change) == 404)
            #expect(status("/_/rs:fit:1/\(encoded)", change) == 404)
            #expect(status("/_/pr:x/\(encoded)", change) == 404)
        }
    }

    @Test func `limits only where the configuration allows them`() throws {
        for option in ["msr:1", "msfs:1", "maf:1", "mafr:1", "mrd:1"] {
            #expect(status("/_/\(option)/\(encoded)") == 404)
            #expect(throws: Never.self) {
                try parse("/_/\(option)/\(encoded)") { $0.allowsSecurityOptions = true }
            }
        }
    }

    @Test func `the source of a watermark obeys the rules`() throws {
        func path(_ address: String) -> String {
            "/_/wmu:\(Base64URL.encoded(address.utf8))/plain/http://good.example/a"
        }
        let change: (inout GrammarSettings) throws -> Void = {
            $0.sources.allowed = [try SourcePattern("http://good.example/")]
        }
        let request = try parse(path("http://good.example/w.png"), change)
        #expect(request.options.watermarkSource?.description == "http://good.example/w.png")
        #expect(status(path("http://evil/w.png"), change) == 404)
        #expect(status(path("file:///etc/passwd")) == 404)
        #expect(status(path("local:///../a")) == 404)
    }

    @Test(arguments: [
        ("/_/w/plain/local:///a.jpg", "'w' is neither an option such as w:300"),
        ("/_/w:1:2:3/plain/local:///a.jpg", "w (width) takes at most 1 argument, not 3"),
    ])
    func `the reason names the part that is wrong`(path: String, reason: String) {
        let error = #expect(throws: ServiceError.self) { try parse(path) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
