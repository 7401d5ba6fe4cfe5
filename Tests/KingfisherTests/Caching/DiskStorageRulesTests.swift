import Foundation
import KingfisherTesting
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// The rules of the disk layer, asked through its public face.
@Suite(.timeLimit(.minutes(1)))
struct DiskStorageRulesTests {
    private let folder: TemporaryDirectory
    private let clock = ManualClock()

    init() throws { folder = try TemporaryDirectory() }

    private func backend(
        _ change: (inout DiskStorage.Config) -> Void = { _ in }
    ) throws -> DiskStorage.Backend<Data> {
        var config = DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder.url)
        change(&config)
        return try DiskStorage.Backend(config: config, clock: clock.clock)
    }

    private func fill(_ backend: DiskStorage.Backend<Data>, _ keys: String...) throws {
        for key in keys {
            let value = Data(repeating: key.utf8.last ?? 0, count: 10)
            try backend.store(value: value, forKey: key)
            clock.advance(by: 1)
        }
    }

    @Test func `DSK-1, DSK-13: the folder is named after the cache, and is there from the start`()
        throws
    {
        let plain = try backend()
        let path = plain.directoryURL.path
        #expect(path == folder.file("com.onevcat.Kingfisher.ImageCache.test").path)
        #expect(FileManager.default.fileExists(atPath: path))
        let base = folder.file("elsewhere")
        let moved = try backend { config in
            config.cachePathBlock = { _, name in base.appendingPathComponent("in-\(name)") }
        }
        #expect(moved.directoryURL.lastPathComponent == "in-com.onevcat.Kingfisher.ImageCache.test")
        #expect(FileManager.default.fileExists(atPath: moved.directoryURL.path))
        let usual = try backend { $0.cachePathBlock = nil }
        #expect(usual.directoryURL == plain.directoryURL)
    }

    @Test func `DSK-2, DSK-9: an entry is valid for seven days from its store`() throws {
        let backend = try backend()
        try backend.store(value: Data(count: 1), forKey: "a")
        let entry = try #require(backend.entries.first)
        #expect(entry.lastAccess == clock.date)
        #expect(entry.expiration == clock.date.addingTimeInterval(7 * 86_400))
    }

    @Test func `DSK-6: another extension is another file`() throws {
        let backend = try backend()
        try backend.store(value: Data("jpg".utf8), forKey: "a", forcedExtension: "jpg")
        try backend.store(value: Data("png".utf8), forKey: "a", forcedExtension: "png")
        #expect(try backend.value(forKey: "a") == nil)
        #expect(try backend.value(forKey: "a", forcedExtension: "jpg") == Data("jpg".utf8))
        #expect(try backend.value(forKey: "a", forcedExtension: "png") == Data("png".utf8))
        #expect(backend.entries.count == 2)
    }

    @Test func `DSK-14, DSK-15: what is there is found from the first moment on`() throws {
        do {
            let backend = try backend()
            try fill(backend, "a", "b")
        }
        let again = try backend()
        #expect(again.isCached(forKey: "a"))
        #expect(try again.value(forKey: "b")?.count == 10)
        try fill(again, "c")
        #expect(again.isCached(forKey: "c"))
    }

    @Test func `DSK-16: what was removed is known to be gone`() throws {
        let backend = try backend()
        try fill(backend, "a", "b")
        try backend.remove(forKey: "a")
        #expect(!backend.isCached(forKey: "a"))
        try backend.removeAll()
        #expect(!backend.isCached(forKey: "b"))
        #expect(backend.entries.isEmpty)
    }

    @Test func `DSK-17: what another storage stores later is found`() throws {
        let backend = try backend()
        try fill(backend, "a")
        // With an index of its own, as another process has.
        let other = DiskStore(directory: backend.directoryURL.path, clock: clock.clock)
        let name = backend.cacheFileURL(forKey: "b").lastPathComponent
        try other.store(Data("theirs".utf8), named: name, key: "b", expiration: .never)
        #expect(backend.isCached(forKey: "b"))
        #expect(try backend.value(forKey: "b") == Data("theirs".utf8))
    }

    @Test func `DSK-19, DSK-20: a probe extends nothing, and answers for any date`() throws {
        let backend = try backend()
        try backend.store(value: Data(count: 1), forKey: "a", expiration: .seconds(100))
        clock.advance(by: 60)
        #expect(backend.isCached(forKey: "a"))
        let end = clock.date.addingTimeInterval(40)
        let before = end.addingTimeInterval(-1)
        #expect(backend.isCached(forKey: "a", referenceDate: before))
        #expect(!backend.isCached(forKey: "a", referenceDate: end))
        clock.advance(by: 40)
        #expect(!backend.isCached(forKey: "a"))
        #expect(backend.isCached(forKey: "a", referenceDate: before))
    }

    @Test func `DSK-19: an entry whose file cannot be opened is not cached`() throws {
        let backend = try backend()
        try fill(backend, "a")
        let file = backend.cacheFileURL(forKey: "a")
        try FileManager.default.removeItem(at: file)
        // Also root cannot open it, and it has a status.
        let nothing = file.appendingPathExtension("nothing")
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: nothing)
        #expect(!backend.isCached(forKey: "a"))
        #expect(!backend.isCached(forKey: "a", referenceDate: clock.date))
    }

    @Test func `DSK-23: a read that extends nothing does not save from trimming`() throws {
        let backend = try backend()
        try fill(backend, "a", "b", "c", "d")
        _ = try backend.value(forKey: "a", extendingExpiration: .none)
        _ = try backend.value(forKey: "b")
        backend.config.sizeLimit = 40
        let removed = try backend.removeSizeExceededValues()
        #expect(removed == ["a", "c"].map { backend.cacheFileURL(forKey: $0) })
    }

    @Test func `DSK-28, DSK-29: folders are neither trimmed nor counted`() throws {
        let backend = try backend()
        let inner = backend.directoryURL.appendingPathComponent("inner", isDirectory: true)
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try Data(count: 1_000).write(to: inner.appendingPathComponent("file"))
        try Data(count: 1_000).write(to: backend.directoryURL.appendingPathComponent(".hidden"))
        try fill(backend, "a", "b")
        #expect(try backend.totalSize() == 20)
        backend.config.sizeLimit = 1
        #expect(try backend.removeSizeExceededValues().count == 2)
        #expect(FileManager.default.fileExists(atPath: inner.path + "/file"))
        #expect(try backend.totalSize() == 0)
    }

    @Test func `DSK-30: a folder that cannot be listed is an error`() throws {
        let files = FaultyFileSystem()
        files.fail { operation, _ in operation == .list ? .permissionDenied : nil }
        let store = DiskStore(directory: folder.url.path, files: files)
        #expect(throws: DiskError.cannotList(path: folder.url.path, .permissionDenied)) {
            try store.prepare()
        }
    }

    @Test func `DSK-31: settings may change at any time, new names orphan old files`() throws {
        let backend = try backend()
        try fill(backend, "a")
        backend.config.expiration = .seconds(5)
        try fill(backend, "b")
        backend.config.pathExtension = "img"
        #expect(!backend.isCached(forKey: "a"))
        #expect(backend.cacheFileURL(forKey: "a").pathExtension == "img")
        backend.config.pathExtension = nil
        clock.advance(by: 5)
        #expect(backend.isCached(forKey: "a"))
        #expect(!backend.isCached(forKey: "b"))
    }
}
