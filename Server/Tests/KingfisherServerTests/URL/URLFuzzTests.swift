import Foundation
import Testing

@testable import KingfisherServer

struct URLFuzzTests {
    /// SplitMix64, so that failures can be repeated.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    private let settings: GrammarSettings

    init() throws {
        var settings = GrammarSettings()
        settings.allowsSecurityOptions = true
        settings.sources.allowsLocalFiles = true
        settings.sources.stores = [.s3]
        try settings.definePresets(["thumb=rs:fill:10:10/q:5", "nested=pr:thumb/sh:1"])
        self.settings = settings
    }

    private static let sources = [
        "http://example.com/a.jpg", "https://example.com:8443/a%20b/é?c=d&e=f",
        "local:///a b/c.png",
        "s3://bucket/a/b.jpg", "http://[::1]:80/x",
    ]

    private func randomPath(_ generator: inout Generator) -> String {
        let count = Int.random(in: 0...12, using: &generator)
        let isInfo = Int.random(in: 0..<5, using: &generator) == 0
        let examples = OptionExamples.all.filter { isInfo || !$0.isForInformation }
        var segments = (0..<count).map { _ in
            examples.randomElement(using: &generator)?.segment ?? ""
        }
        if Bool.random(using: &generator) { segments.append("pr:nested") }
        let source = Self.sources.randomElement(using: &generator) ?? ""
        return
            (["_"] + (isInfo ? ["info"] : []) + segments + [
                "plain", PercentEncoding.encoded(source),
            ])
            .map { "/\($0)" }.joined()
    }

    private func randomRequest(_ generator: inout Generator) throws -> ImageRequest {
        try ImageRequest.parse(randomPath(&generator), with: settings, now: .distantPast)
    }

    @Test func `a written path means the request that was read`() throws {
        var generator = Generator(state: 18)
        var settings = settings
        settings.signature = SignatureKeys([.init(key: [1, 0x23], salt: [0x45, 0x67])], size: 9)
        settings.pathPrefix = "images"
        for _ in 0..<1000 {
            let request = try randomRequest(&generator)
            let path = request.path(for: settings)
            let read = try ImageRequest.parse(path, with: settings, now: .distantPast)
            #expect(read.canonicalKey == request.canonicalKey, "\(path)")
            #expect(read.path(for: settings) == path)
            #expect(read.source == request.source)
            #expect(read.options.fileName == request.options.fileName)
            #expect(read.options.expires == request.options.expires)
            #expect(read.options.returnsAttachment == request.options.returnsAttachment)
        }
    }

    @Test(arguments: 0..<4)
    func `a mutated path is a request or an error`(_ seed: Int) throws {
        var generator = Generator(state: UInt64(seed))
        var tally = (requests: 0, errors: 0)
        for _ in 0..<600 {
            let isPlain = Bool.random(using: &generator)
            let text =
                try isPlain
                ? randomPath(&generator) : randomRequest(&generator).path(for: settings)
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                Self.mutate(&bytes, &generator)
            }
            let path = String(decoding: bytes, as: UTF8.self)
            do throws(ServiceError) {
                let read = try ImageRequest.parse(path, with: settings, now: .distantPast)
                Self.check(read, path, settings)
                tally.requests += 1
            } catch {
                #expect([403, 404].contains(error.status))
                #expect(error.message.unicodeScalars.allSatisfy { $0.value >= 32 })
                #expect(error.message.utf8.count < 300, "\(error.message)")
                tally.errors += 1
            }
        }
        // Both outcomes occur often, so the mutations are neither too weak nor too strong.
        #expect(tally.requests > 30)
        #expect(tally.errors > 30)
    }

    /// Checks the invariants of every accepted path.
    private static func check(_ request: ImageRequest, _ path: String, _ settings: GrammarSettings)
    {
        let written = request.path(for: settings)
        let again = try? ImageRequest.parse(written, with: settings, now: .distantPast)
        #expect(again?.canonicalKey == request.canonicalKey, "\(path)")
        switch request.source {
        case .web(let url):
            #expect(["http", "https"].contains(url.scheme))
            #expect(url.host()?.isEmpty == false)
            #expect(url.user() == nil && url.password() == nil)
        case .local(let path), .object(_, _, let path):
            #expect(!path.hasPrefix("/") && !path.utf8.contains(0))
            #expect(!path.split(separator: "/").contains(".."))
        }
    }

    private static let interesting = [
        "/", "//", ":", "::", "%", "%2F", "%2e%2e", "%00", "%25", "@", "?", "#", ".", "..", "/../",
        "plain/",
        "info/", "\\", "\u{0}", "é", "\u{301}", "-1", "99999999999999999999", "nan", "1e999", "rs:",
        "c:",
        "pr:thumb/", "fn:", "http://", "local:///", "s3://", "file:///", "=", "==", "\r\n", "🦊",
    ]

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout Generator) {
        let place = bytes.indices.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where !bytes.isEmpty: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1 where !bytes.isEmpty: bytes.remove(at: place)
        case 2: bytes.removeSubrange(place..<min(place + 8, bytes.count))
        case 3:
            let end = Int.random(in: place...bytes.count, using: &generator)
            bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 4 where !bytes.isEmpty:
            bytes[place] = UInt8(ascii: "0") + UInt8.random(in: 0...9, using: &generator)
        default:
            let text = interesting.randomElement(using: &generator) ?? ""
            bytes.insert(contentsOf: Array(text.utf8), at: place)
        }
    }

    @Test func `requests with different results have different keys`() throws {
        var generator = Generator(state: 42)
        var seen: [String: ImageRequest] = [:]
        for _ in 0..<1000 {
            var request = try randomRequest(&generator)
            request.options.fileName = nil
            request.options.expires = nil
            request.options.returnsAttachment = nil
            request.options.fallbackSource = nil
            // No effect: the same as none.
            if request.options.dpr == 1 { request.options.dpr = nil }
            if !request.options.extend.isOn { request.options.extend = .init() }
            if request.options.monochromeIntensity == 0 { request.options.monochromeColour = nil }
            let key = request.canonicalKey
            #expect(seen[key] == nil || seen[key] == request, "\(key)")
            seen[key] = request
        }
        #expect(seen.count > 800)
    }
}
