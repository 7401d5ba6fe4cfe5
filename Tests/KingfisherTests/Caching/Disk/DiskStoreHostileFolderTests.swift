import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Folders whose log, files or rights come from somebody who means harm.
struct DiskStoreHostileFolderTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private var path: String { folder.file("cache").path }
    private var cache: URL { folder.file("cache") }
    private var log: URL { cache.appendingPathComponent(".kingfisher.log") }

    private func open() -> DiskStore { DiskStore(directory: path) }

    private func data(_ name: String) -> Data { Data("what was stored as \(name)".utf8) }

    private func fill(_ names: String...) throws {
        let store = open()
        for name in names {
            try store.store(data(name), named: name, key: name, expiration: .never)
        }
    }

    private func write(_ records: [LogRecord]) throws {
        try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
        try LogRecord.encode(records, after: LogRecord.header).write(to: log)
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    @Test(arguments: [Int.max, Int.max - 1, 1 << 62])
    func `sizes in a log that no file has neither trap nor count`(size: Int) throws {
        var first = DiskEntry.make("a")
        first.size = size
        var second = DiskEntry.make("b")
        second.size = size
        second.expiry = .infinity
        try write([.stored(first, temporary: 7), .stored(second, temporary: 0)])
        for name in ["a", "b"] { try data(name).write(to: cache.appendingPathComponent(name)) }
        let store = open()
        store.sizeLimit = 1_000
        #expect(try store.data(named: "b") == nil)
        try store.store(data("c"), named: "c", key: "c", expiration: .never)
        #expect(store.totalSize == data("c").count)
        #expect(try store.data(named: "c") == data("c"))
    }

    @Test(arguments: ["../outside", "../../outside", "a/../../outside", "..", ".kingfisher.log"])
    func `a log cannot remove or replace files outside of its entries`(name: String) throws {
        let outside = folder.file("outside")
        try Data("mine".utf8).write(to: outside)
        var entry = DiskEntry.make(name)
        entry.size = 4
        entry.checksum = Checksum.of(Data("evil".utf8))
        try write([.removed(name)])
        try open().prepare()
        #expect(try Data(contentsOf: outside) == Data("mine".utf8))
        try write([.stored(entry, temporary: 7)])
        try Data("evil".utf8).write(to: cache.appendingPathComponent(".kingfisher-7.tmp"))
        let store = open()
        try store.prepare()
        #expect(try Data(contentsOf: outside) == Data("mine".utf8))
        #expect(store.entries.isEmpty)
    }

    @Test func `files that were exchanged are misses when the log is gone`() throws {
        try fill("a", "b")
        let (a, b) = (cache.appendingPathComponent("a"), cache.appendingPathComponent("b"))
        let aside = folder.file("aside")
        try FileManager.default.moveItem(at: a, to: aside)
        try FileManager.default.moveItem(at: b, to: a)
        try FileManager.default.moveItem(at: aside, to: b)
        try FileManager.default.removeItem(at: log)
        let store = open()
        #expect(try store.data(named: "a") == nil)
        #expect(try store.data(named: "b") == nil)
    }

    @Test func `a file that was changed is a miss when the log is gone`() throws {
        try fill("a", "b")
        let file = try FileHandle(forWritingTo: cache.appendingPathComponent("a"))
        try file.write(contentsOf: Data("What".utf8))
        try file.close()
        try FileManager.default.removeItem(at: log)
        let store = open()
        #expect(try store.data(named: "a") == nil)
        #expect(try store.data(named: "b") == data("b"))
    }

    @Test func `a file that no store made is no entry`() throws {
        try fill("a")
        try Data("stranger".utf8).write(to: cache.appendingPathComponent("b"))
        let store = open()
        #expect(try store.data(named: "b") == nil)
        #expect(store.entries.map(\.name) == ["a"])
    }

    @Test func `links and pipes in place of entries are misses`() throws {
        try fill("a", "b", "c")
        let secret = folder.file("secret")
        // The size and checksum that the entry expects, in a file elsewhere.
        try data("a").write(to: secret)
        let files = ["a", "b"].map { cache.appendingPathComponent($0) }
        for file in files { try FileManager.default.removeItem(at: file) }
        try FileManager.default.createSymbolicLink(at: files[0], withDestinationURL: secret)
        #expect(mkfifo(files[1].path, 0o600) == 0)
        let store = open()
        #expect(try store.data(named: "a") == nil)
        #expect(try store.data(named: "b") == nil)
        #expect(try store.data(named: "c") == data("c"))
        #expect(try Data(contentsOf: secret) == data("a"))
    }

    @Test(arguments: [".kingfisher.log", ".kingfisher.lock"])
    func `a link in place of the log or the lock file is replaced`(name: String) throws {
        try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
        let victim = folder.file("victim")
        try Data("mine".utf8).write(to: victim)
        let link = cache.appendingPathComponent(name)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: victim)
        try fill("a")
        #expect(try open().data(named: "a") == data("a"))
        #expect(try Data(contentsOf: victim) == Data("mine".utf8))
    }

    @Test func `the folder and its files are closed to other users`() throws {
        try fill("a")
        #expect(try mode(path) == 0o700)
        for name in ["a", ".kingfisher.log", ".kingfisher.lock"] {
            #expect(try mode("\(path)/\(name)") == 0o600, "\(name)")
        }
    }

    @Test func `a folder of an earlier version is closed to other users`() throws {
        try fill("a")
        for name in ["", "/.kingfisher.log", "/.kingfisher.lock"] {
            #expect(chmod(path + name, name.isEmpty ? 0o755 : 0o644) == 0)
        }
        let store = open()
        #expect(try store.data(named: "a") == data("a"))
        #expect(try mode(path) == 0o700)
        #expect(try mode(log.path) == 0o600)
        #expect(try mode(path + "/.kingfisher.lock") == 0o600)
    }

    @Test func `a folder that was made for others too keeps its rights`() throws {
        try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
        #expect(chmod(path, 0o755) == 0)
        try fill("a")
        #expect(try mode(path) == 0o755)
    }
}
