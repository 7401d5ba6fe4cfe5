import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// HTTP records as they are in the logs of users and in shared storage.
struct HTTPRecordFormatTests {
    private static let time = Date(timeIntervalSinceReferenceDate: 800_000_000.5)

    /// A record of earlier versions, its keys in order: a redirect, an image that a field selects,
    /// and another variant of it.
    ///
    /// Without `isShared` the record is that of a cache of one user. A change that needs another
    /// text makes those caches ask their servers again for all images: let new properties be
    /// optional, and append a text.
    private static func kept(isShared: Bool) -> String {
        let shared = isShared ? #""isShared":true,"# : ""
        return #"""
            {"answer":{"fields":[{"name":"etag","value":"\"a\""},\#
            {"name":"vary","value":"Accept, X-App"}],\#(shared)\#
            "selecting":[{"accept":"image\/png","x-app":null}],"statusCode":200,\#
            "time":800000000.5,"url":"https:\/\/example.com\/b?c=1"},"isWhole":true,\#
            "redirects":[{"fields":[],\#(shared)"selecting":[{}],"statusCode":302,\#
            "time":800000000.5,"url":"https:\/\/example.com\/a"}],"variantCount":1,\#
            "variants":[{"accept":"image\/webp","x-app":null}]}
            """#
    }

    /// The same record, of the responses.
    private func record(isShared: Bool) throws -> HTTPRecord {
        let redirect = TransferResponse(
            url: try #require(URL(string: "https://example.com/a")),
            statusCode: 302,
            fields: [("Location", "/b?c=1")]
        )
        let response = TransferResponse(
            url: try #require(URL(string: "https://example.com/b?c=1")),
            statusCode: 200,
            fields: [("ETag", "\"a\""), ("Vary", "Accept, X-App")]
        )
        func answered(_ accepted: String) -> HTTPRecord? {
            HTTPRecord(
                redirects: [redirect],
                response,
                time: Self.time,
                rules: HTTPCachingRules(isShared: isShared)
            ) { $0 == "accept" ? accepted : nil }
        }
        let first = try #require(answered("image/png"))
        let other = try #require(answered("image/webp"))
        let added = first.adding(other) { $0 == "accept" ? "image/webp" : nil }
        return try #require(added).record
    }

    @Test(arguments: [false, true])
    func `records of earlier versions are read, and written as they were`(isShared: Bool) throws {
        let text = Self.kept(isShared: isShared)
        let kept = try JSONDecoder().decode(HTTPRecord.self, from: Data(text.utf8))
        #expect(try kept == record(isShared: isShared))
        #expect(kept.answer.rules.isShared == isShared)
        #expect(kept.variant { $0 == "accept" ? "image/webp" : nil } == 1)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(kept), as: UTF8.self) == text)
    }

    @Test func `records are encrypted with the key of their entry, as in earlier versions`() throws
    {
        let folder = try TemporaryDirectory()
        let storage = try DiskStorage.Backend<Data>(
            config: DiskStorage.Config(name: "records", sizeLimit: 0, directory: folder.url)
        )
        let record = try record(isShared: false)
        let kept = Data(Self.kept(isShared: false).utf8)
        let keys = [("a", "http a@p"), ("a@b", "http@3 a@b@p")]
        for (key, text) in keys {
            let entry = CacheEntryName(key: key, identifier: "p", forced: nil)
            let cipher = AESGCMTransformer(key: Data(SHA256.hash(Data(text.utf8))))
            #expect(try storage.record(from: cipher.seal(kept, name: ""), of: entry) == record)
            let own = try cipher.open(storage.encoded(record, of: entry), name: "")
            #expect(try JSONDecoder().decode(HTTPRecord.self, from: own) == record)
        }
    }
}
