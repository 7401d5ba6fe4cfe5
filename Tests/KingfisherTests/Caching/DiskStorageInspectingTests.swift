import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct DiskStorageInspectingTests {
    private let folder: TemporaryDirectory
    private let backend: DiskStorage.Backend<Data>

    init() throws {
        folder = try TemporaryDirectory()
        backend = try DiskStorage.Backend(
            config: DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder.url)
        )
    }

    @Test func `entries have key, file, size and dates`() throws {
        let start = Date()
        try backend.store(value: Data(count: 7), forKey: "a@round", expiration: .seconds(100))
        try backend.store(value: Data(count: 5), forKey: "b", expiration: .never)
        let entries = backend.entries
        #expect(entries.map(\.key) == ["a@round", "b"])
        #expect(entries.map(\.size) == [7, 5])
        let first = try #require(entries.first)
        #expect(first.fileURL == backend.cacheFileURL(forKey: "a@round"))
        let expiration = try #require(first.expiration)
        #expect(expiration.timeIntervalSince(first.lastAccess) == 100)
        // The clock of the cache runs in steps of some milliseconds.
        #expect(first.lastAccess > start.addingTimeInterval(-1))
        #expect(!first.isExpired())
        #expect(first.isExpired(at: expiration))
        #expect(entries.last?.expiration == nil)
        #expect(entries.last?.isExpired(at: .distantFuture) == false)
    }

    @Test func `a file whose record was lost has no key`() throws {
        try backend.store(value: Data("x".utf8), forKey: "a")
        let log = backend.directoryURL.appendingPathComponent(".kingfisher.log")
        try FileManager.default.removeItem(at: log)
        #expect(backend.entries.map(\.key) == [nil])
    }

    @Test func `the names of the cache's own files distinguish them from its entries`() throws {
        try backend.store(value: Data("x".utf8), forKey: "a")
        try backend.store(value: Data("y".utf8), forKey: "b")
        let names = try FileManager.default
            .contentsOfDirectory(atPath: backend.directoryURL.path)
        let own = names.filter { $0.hasPrefix(DiskStorage.ownFilePrefix) }
        #expect(Set(own).isSuperset(of: [".kingfisher.log", ".kingfisher.lock"]))
        let entries = backend.entries.map(\.fileURL.lastPathComponent)
        #expect(Set(names).subtracting(own) == Set(entries))
        let shown = try FileManager.default.contentsOfDirectory(
            at: backend.directoryURL,
            includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles
        )
        #expect(Set(shown.map(\.lastPathComponent)) == Set(entries))
    }

    @Test(arguments: [false, true])
    func `verifying names what is damaged, and removes it if told to`(repairing: Bool) throws {
        for key in ["good", "changed", "gone"] {
            try backend.store(value: Data(key.utf8), forKey: key)
        }
        try Data("CHANGED".utf8).write(to: backend.cacheFileURL(forKey: "changed"))
        try FileManager.default.removeItem(at: backend.cacheFileURL(forKey: "gone"))
        #expect(backend.verify(repairing: repairing).map(\.key) == ["changed", "gone"])
        #expect(backend.entries.map(\.key) == (repairing ? ["good"] : ["good", "changed", "gone"]))
    }
}
