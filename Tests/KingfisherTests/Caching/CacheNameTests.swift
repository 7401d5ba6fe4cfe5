import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Names of caches and keys that are equal to Unicode but have other bytes, and hostile ones.
@Suite(.timeLimit(.minutes(1)))
struct CacheNameTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func cache(_ name: String) throws -> ImageCache {
        try ImageCache(name: name, cacheDirectoryURL: folder.file("base"))
    }

    @Test func `caches whose names differ only in their bytes have folders of their own`()
        async throws
    {
        let (one, two) = (try cache("caf\u{E9}"), try cache("cafe\u{301}"))
        try await one.storeToDisk(Data("one".utf8), forKey: "a")
        #expect(!two.isCached(forKey: "a"))
        try await two.storeToDisk(Data("two".utf8), forKey: "a")
        #expect(try one.diskStorage.value(forKey: "a") == Data("one".utf8))
        #expect(one.diskStorage.disk !== two.diskStorage.disk)
    }

    @Test(arguments: [
        "x\u{600}/../\u{301}evil", "x/\u{301}/../../\u{301}../evil", "..", "../evil",
        "a/../../evil",
        "a\0/../../evil", "/../\u{301}/../../evil", "%2F../evil", "\u{301}/../../evil",
    ])
    func `no name leads outside of the base folder`(name: String) throws {
        let cache = try cache(name)
        let base = folder.file("base").path
        #expect(cache.diskStorage.directoryURL.path.hasPrefix(base + "/"))
        #expect(
            !cache.diskStorage.directoryURL.path.utf8.split(separator: 47).contains {
                $0.elementsEqual("..".utf8)
            }
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["base"])
        let inside = try FileManager.default.contentsOfDirectory(atPath: base)
        #expect(inside.allSatisfy { $0.startsWithBytes(of: "com.onevcat.Kingfisher.") })
    }

    @Test(arguments: [
        ("a", "a"), ("50%", "50%"), ("a/b", "b"), ("a%00", "a%2500"), ("a\0b", "a%00b"),
        ("50%\0", "50%25%00"), ("a/../b", "a%2F..%2Fb"),
    ])
    func `a name is that of its folder, escaped only where it must be`(
        name: String,
        expected: String
    ) throws {
        let prefix = "com.onevcat.Kingfisher.ImageCache."
        let found = try cache(name).diskStorage.directoryURL.lastPathComponent
        #expect(found == expected || found == prefix + expected)
    }

    @Test func `no two names of caches share a folder`() throws {
        let names = [
            "a", "a/", "a//", "a/b", "a//b", "a/./b", "./a/b", "a/../b", "a/b/..", "/a", "//a", "%",
            "a%2F..%2Fb", "a%252F..%252Fb", "a\0b", "a%00b", "a%2500b", "a\0/b", "a%00/b", "..",
            ".",
            "/..", "%2F..", "../a", "..%2Fa", "a/", "a%2F", "caf\u{E9}/", "cafe\u{301}/",
            "a\u{200D}b",
            "\u{FEFF}a", "\u{202E}a", "a/\u{301}/b", "a/\u{301}./b",
        ]
        let unique = Set(names.map(ByteText.init))
        let folders = try unique.map { name -> ByteText in
            let folder = try cache(name.string).diskStorage.directoryURL
            return ByteText(folder.standardizedFileURL.resolvingSymlinksInPath().path)
        }
        #expect(Set(folders).count == unique.count)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["base"])
    }

    @Test(arguments: ["\u{FEFF}a", "a\u{200D}", "\u{301}", "a\n", "\u{202E}b.png", "a%2Fb", "~"])
    func `the name of a file that is a key is the key`(key: String) async throws {
        let cache = try cache("names")
        cache.diskStorage.config.usesHashedFileName = false
        #expect(cache.hash(forKey: key).utf8.elementsEqual(key.utf8))
        let removed = Locked<[String]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: .KingfisherDidCleanDiskCache,
            object: cache,
            queue: nil
        ) { note in
            let names = note.userInfo?[KingfisherDiskCacheCleanedHashKey] as? [String]
            removed.change { $0 += names ?? [] }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try await cache.storeToDisk(Data(count: 10), forKey: key)
        cache.diskStorage.config.sizeLimit = 5
        await cache.cleanExpiredDiskCache()
        while removed.value.isEmpty { await Task.yield() }
        #expect(removed.value.map(ByteText.init) == [ByteText(key)])
    }

    @Test func `keys that differ only in their bytes are different images`() async throws {
        let cache = try cache("keys")
        cache.diskStorage.config.usesHashedFileName = false
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        for _ in 0..<50 {
            put("one", one, in: cache)
            put("two", two, in: cache)
            #expect(try cache.diskStorage.value(forKey: one) == Data("one".utf8))
            #expect(try cache.diskStorage.value(forKey: two) == Data("two".utf8))
            try await cache.removeImage(forKey: two)
            #expect(cache.isCached(forKey: one))
            #expect(!cache.isCached(forKey: two))
        }
    }

    /// Stores without waiting.
    private func put(_ text: String, _ key: String, in cache: ImageCache) {
        cache.storeToDisk(Data(text.utf8), forKey: key)
    }

    @Test func `a combining character does not hide a password`() {
        let text = "https://\u{301}anna:secret@host.test/a and ftp://b:secret@\u{301}c/"
        #expect(!text.withoutUsers.contains("secret"))
        #expect(
            text.withoutUsers.utf8.elementsEqual("https://host.test/a and ftp://\u{301}c/".utf8)
        )
    }

    @Test func `a combining character does not make a name of the store's own an entry's`() {
        #expect(!FileNaming.isEntryName(".kingfisher\u{301}.log"))
        #expect(FileNaming.fileExtension(in: "a.png\u{301}@2x") == nil)
        #expect(FileNaming.fileExtension(in: "a.png@\u{301}2x.gif") == "png")
    }
}
