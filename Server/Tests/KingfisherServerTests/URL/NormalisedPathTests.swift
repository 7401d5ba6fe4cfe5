import Foundation
import Testing

@testable import KingfisherServer

/// Paths that a proxy has changed between the client and the service.
struct NormalisedPathTests {
    private static let keys = SignatureKeys([.init(key: [1, 2, 3], salt: [4, 5, 6])])

    private static let settings: GrammarSettings = {
        var settings = GrammarSettings()
        settings.signature = keys
        settings.sources.allowsLocalFiles = true
        settings.sources.stores = Set(ObjectStore.allCases)
        return settings
    }()

    private func parsed(_ path: String, signedAs original: String) throws -> ImageRequest {
        let signature = Self.keys.signature(of: original)
        return try ImageRequest.parse("/\(signature)\(path)", with: Self.settings)
    }

    @Test(
        "A path that a proxy has normalised has the signature of the original",
        arguments: [
            ("/w:10/plain/http://a/b.png", "/w:10/plain/http:/a/b.png"),
            ("/w:10/plain/https://a/b.png@jpg", "/w:10/plain/https:/a/b.png@jpg"),
            ("/plain/s3://b/a.png", "/plain/s3:/b/a.png"),
            ("/plain/gs://b/a.png", "/plain/gs:/b/a.png"),
            ("/plain/abs://b/a.png", "/plain/abs:/b/a.png"),
            ("/w:10/plain/swift://b/a.png", "/w:10/plain/swift:/b/a.png"),
            ("/w:10/plain/local:///a.png", "/w:10/plain/local:/a.png"),
            ("/rs:fill:1:2/plain/http://a/b.png", "/rs%3Afill%3A1%3A2/plain/http%3A//a/b.png"),
            ("/w:10/h:5/aHR0cDovL2EvYi5wbmc", "/w%3A10/h%3A5/aHR0cDovL2EvYi5wbmc"),
            ("/w:10/plain/http%3A%2F%2Fa%2Fb", "/w%3A10/plain/http%3A%2F%2Fa%2Fb"),
            ("/w:10/plain/http://a/b.png", "/w%3A10/plain/http%3A/a/b.png"),
            ("/info/w:10/plain/http://a/b.png", "/info/w:10/plain/http:/a/b.png"),
        ]
    )
    func normalised(original: String, arrived: String) throws {
        let expected = try parsed(original, signedAs: original)
        let found = try parsed(arrived, signedAs: original)
        #expect(found == expected)
        #expect(found.canonicalKey == expected.canonicalKey)
        // Without keys too.
        #expect(try ImageRequest.parse("/_\(arrived)", with: GrammarSettings.all) == expected)
    }

    @Test(
        "Empty segments before the source mean nothing, and are signed as they are",
        arguments: [
            "//plain/http://a/b.png", "//w:10//plain/http://a/b.png", "//w:10//aHR0cDovL2EvYi5wbmc",
            "//info//w:10//plain/http://a/b.png",
        ]
    )
    func emptySegments(path: String) throws {
        let plain = path.contains("info") ? "/info" : ""
        let options = path.contains("w:10") ? "/w:10" : ""
        let expected = "\(plain)\(options)/plain/http://a/b.png"
        let request = try parsed(path, signedAs: path)
        #expect(request == (try parsed(expected, signedAs: expected)))
        let slashes = try ImageRequest.parse("//_\(path)", with: GrammarSettings.all)
        #expect(slashes == request)
        #expect(throws: ServiceError.self) { try parsed(path, signedAs: expected) }
    }

    @Test("Empty segments of a plain source belong to its address")
    func emptySegmentsOfSource() throws {
        let request = try ImageRequest.parse("/_/plain/http://a//b.png", with: GrammarSettings.all)
        #expect(request.source.description == "http://a//b.png")
    }

    @Test("Empty segments mean nothing either where URLs name presets")
    func emptySegmentsBeforePresets() throws {
        var settings = GrammarSettings.all
        settings.allowsOnlyPresets = true
        try settings.definePresets(["small=w:10"])
        for path in ["/_//small/plain/http://a/b", "/_/small//plain/http://a/b"] {
            #expect(try ImageRequest.parse(path, with: settings).options.width == 10)
        }
    }

    @Test(
        "No mixture of the original and the normalised path is accepted",
        arguments: [
            ("/w:10/h:5/plain/http://a/b.png", "/w%3A10/h:5/plain/http://a/b.png"),
            ("/w:10/h:5/plain/http://a/b.png", "/w%3A10/h%3A5/plain/http://a/b.png"),
            ("/w:10/plain/http://a/b.png", "/w%3a10/plain/http%3a//a/b.png"),
            ("/w:10/plain/http://a//b.png", "/w:10/plain/http:/a//b.png"),
            ("/w:10/plain/http://a/b.png", "/w:10//plain/http:/a/b.png"),
            ("/w:10/plain/http://a/b.png", "/w:10/plain/http:///a/b.png"),
            ("/w:10/plain/http://a/b.png", "/w:10/plain/http:a/b.png"),
            ("/w:10/plain/http://a/b.png", "/w:10/plain/https:/a/b.png"),
            ("/w:10/plain/http:/a/b.png", "/w:10/plain/http://a/b.png"),
        ]
    )
    func mixed(original: String, arrived: String) throws {
        let error = #expect(throws: ServiceError.self) { try parsed(arrived, signedAs: original) }
        #expect(error?.status == 403)
    }
}

extension GrammarSettings {
    /// All kinds of sources, and any signature.
    fileprivate static var all: GrammarSettings {
        var settings = GrammarSettings()
        settings.sources.allowsLocalFiles = true
        settings.sources.stores = Set(ObjectStore.allCases)
        return settings
    }
}
