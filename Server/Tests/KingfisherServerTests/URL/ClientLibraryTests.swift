import Foundation
import Testing

@testable import KingfisherServer

/// URLs that client libraries of other authors have built; see `Tests/Client/make-fixture.py`.
struct ClientLibraryTests {
    private struct Entry: Decodable {
        let client: String
        let key: String
        let salt: String
        let size: Int
        let source: String
        let options: String
        let path: String
    }

    private let entries: [Entry]

    init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appending(path: "Fixtures/client-urls.json"))
        entries = try JSONDecoder().decode([Entry].self, from: data)
    }

    private func settings(for entry: Entry) throws -> GrammarSettings {
        var settings = GrammarSettings()
        if !entry.key.isEmpty {
            let key = try #require(Hexadecimal.bytes(entry.key))
            let salt = try #require(Hexadecimal.bytes(entry.salt))
            settings.signature = SignatureKeys([.init(key: key, salt: salt)], size: entry.size)
        }
        settings.allowsSecurityOptions = true
        settings.sources.allowsLocalFiles = true
        settings.sources.stores = [.s3]
        try settings.definePresets([])
        return settings
    }

    @Test func `three clients, signed and unsigned, mean what their documentation says`() throws {
        for entry in entries {
            let settings = try settings(for: entry)
            let request = try #require(
                try? ImageRequest.parse(entry.path, with: settings, now: .distantPast),
                "\(entry.client): \(entry.path)"
            )
            #expect(request.options.canonicalKey == entry.options, "\(entry.path)")
            let source = try settings.sources.reference(entry.source)
            #expect(request.source == source, "\(entry.path)")
        }
        #expect(Set(entries.map(\.client)) == ["imgproxy", "imgproxykit", "pyimgproxy"])
        #expect(Set(entries.map(\.size)) == [8, 32])
    }

    @Test func `their signatures are those of this service`() throws {
        for entry in entries where !entry.key.isEmpty {
            let rest = entry.path.dropFirst().drop { $0 != "/" }
            let signature = entry.path.dropFirst().prefix { $0 != "/" }
            #expect(try settings(for: entry).signature.signature(of: rest) == signature)
        }
    }

    @Test func `what surrounds a result`() throws {
        let entry = try #require(entries.first { $0.path.contains("filename:") })
        let options = try ImageRequest.parse(entry.path, with: settings(for: entry)).options
        #expect(options.fileName == "über den Wolken")
        #expect(options.returnsAttachment == true)
        #expect(options.expires == Date(timeIntervalSince1970: 4_102_444_800))
    }
}
