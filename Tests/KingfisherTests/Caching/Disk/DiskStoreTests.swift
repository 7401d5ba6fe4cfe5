import Foundation
import KingfisherTesting
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

struct DiskStoreTests {
    private let clock = ManualClock()
    private let files = FaultyFileSystem()
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private var path: String { folder.file("cache").path }

    private func open(_ options: DiskStore.Options = .init()) -> DiskStore {
        DiskStore(directory: path, files: files, clock: clock.clock, options: options)
    }

    private func bytes(_ text: String) -> Data { Data(text.utf8) }

    private func visibleFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { !$0.hasPrefix(".") }.sorted()
    }

    private func hiddenFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasPrefix(".") }.sorted()
    }

    @Test func `stored bytes are found, by the next one to open the folder too`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "key a", expiration: .seconds(60))
        try store.store(bytes(""), named: "empty", key: "key e", expiration: .never)
        #expect(try store.data(named: "a") == bytes("one"))
        #expect(try store.data(named: "empty") == Data())
        #expect(try store.data(named: "b") == nil)
        #expect(try visibleFiles() == ["a", "empty"])
        #expect(try Data(contentsOf: folder.file("cache/a")) == bytes("one"))
        let other = open()
        #expect(try other.data(named: "a") == bytes("one"))
        #expect(other.entries.map(\.key) == ["key e", "key a"])
        #expect(other.totalSize == 3)
        #expect(try hiddenFiles() == [".kingfisher.lock", ".kingfisher.log"])
    }

    @Test func `W-14: neither a miss nor a probe touches the disk`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "a", expiration: .never)
        _ = files.takeCalls()
        #expect(store.contains("a"))
        #expect(!store.contains("b"))
        #expect(try store.data(named: "b") == nil)
        #expect(store.totalSize == 3)
        #expect(files.takeCalls() == [])
    }

    @Test func `overwriting replaces bytes, size and expiry`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "a", expiration: .seconds(5))
        try store.store(bytes("second"), named: "a", key: "a", expiration: .never)
        clock.advance(by: 10)
        #expect(try store.data(named: "a") == bytes("second"))
        #expect(store.totalSize == 6)
        #expect(try open().data(named: "a") == bytes("second"))
    }

    @Test func `DSK-8: an already expired rule writes nothing`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "a", expiration: .expired)
        #expect(!store.contains("a"))
        #expect(!FileManager.default.fileExists(atPath: path + "/a"))
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "a\0b", ".kingfisher.log", String(repeating: "x", count: 256),
    ])
    func `DSK-7: a name that no file can have is refused`(name: String) {
        let store = open()
        #expect(throws: DiskError.invalidName(name, key: "key")) {
            try store.store(bytes("one"), named: name, key: "key", expiration: .never)
        }
        #expect(!store.contains(name))
    }

    // MARK: Expiry

    @Test func `DSK-21: an expired entry is a miss and stays`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "a", expiration: .seconds(5))
        clock.advance(by: 5)
        #expect(try store.data(named: "a") == nil)
        #expect(!store.contains("a"))
        #expect(store.contains("a", at: clock.now - 1))
        #expect(try visibleFiles() == ["a"])
    }

    @Test func `DSK-22, DSK-32: a read starts the lifetime again, for a date too`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "a", expiration: .seconds(10))
        let date = Date(timeIntervalSinceReferenceDate: clock.now + 10)
        try store.store(bytes("two"), named: "b", key: "b", expiration: .date(date))
        for _ in 0..<3 {
            clock.advance(by: 8)
            #expect(try store.data(named: "a") == bytes("one"))
            #expect(try store.data(named: "b") == bytes("two"))
        }
        clock.advance(by: 10)
        #expect(!store.contains("a"))
    }

    @Test func `DSK-22: another rule replaces the lifetime`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "a", expiration: .seconds(10))
        _ = try store.data(named: "a", extending: .expirationTime(.seconds(100)))
        clock.advance(by: 90)
        _ = try store.data(named: "a", extending: .cacheTime)
        clock.advance(by: 99)
        #expect(store.contains("a"))
        clock.advance(by: 1)
        #expect(!store.contains("a"))
    }

    @Test func `DSK-22: a plain read and a probe extend nothing`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "a", expiration: .seconds(10))
        clock.advance(by: 5)
        #expect(try store.data(named: "a", extending: .none) == bytes("one"))
        #expect(store.contains("a"))
        clock.advance(by: 5)
        #expect(!store.contains("a"))
    }

    @Test func `what reads extended is still so when the folder is opened again`() throws {
        var store: DiskStore? = open()
        try store?.store(bytes("one"), named: "a", key: "a", expiration: .seconds(10))
        clock.advance(by: 8)
        _ = try store?.data(named: "a")
        store = nil
        clock.advance(by: 8)
        #expect(open().contains("a"))
    }

    @Test func `the clock may jump both ways`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "a", expiration: .seconds(10))
        clock.advance(by: -1_000_000)
        #expect(try store.data(named: "a") == bytes("one"))
        clock.advance(by: 9)
        #expect(store.contains("a"))
        clock.advance(by: 1_000_000)
        #expect(!store.contains("a"))
        try store.store(bytes("two"), named: "a", key: "a", expiration: .seconds(10))
        #expect(try store.data(named: "a") == bytes("two"))
    }

    // MARK: Removing

    @Test func `DSK-24: removing what is not there is an error`() throws {
        let store = open()
        try store.store(bytes("one"), named: "a", key: "a", expiration: .never)
        try store.remove("a")
        #expect(try visibleFiles() == [])
        #expect(throws: DiskError.notFound(path: path + "/a")) { try store.remove("a") }
    }

    @Test func `DSK-25: removing all takes strangers too and leaves a folder`() throws {
        let store = open()
        for name in ["a", "b"] {
            try store.store(bytes(name), named: name, key: name, expiration: .never)
        }
        try bytes("stranger").write(to: folder.file("cache/stranger"))
        try store.removeAll()
        #expect(try visibleFiles() == [])
        #expect(store.totalSize == 0)
        #expect(open().entries == [])
        try store.store(bytes("c"), named: "c", key: "c", expiration: .never)
        #expect(open().entries.map(\.name) == ["c"])
    }

    @Test func `DSK-26: expired entries are removed and named`() throws {
        let store = open()
        for number in 0..<200 {
            let rule: StorageExpiration = number % 2 == 0 ? .seconds(5) : .seconds(50)
            try store.store(bytes("x"), named: "n\(number)", key: "", expiration: rule)
        }
        clock.advance(by: 5)
        let cleaning = store.removeExpired()
        #expect(cleaning.removed.count == 100)
        #expect(cleaning.failures == [])
        #expect(store.statistics.count == 100)
        #expect(try visibleFiles().count == 100)
        #expect(store.removeExpired().removed == [])
    }

    // MARK: Trimming

    private func fill(_ store: DiskStore, _ names: [String], size: Int = 10) throws {
        for name in names {
            let data = Data(repeating: name.utf8.last ?? 0, count: size)
            try store.store(data, named: name, key: name, expiration: .never)
        }
    }

    @Test func `DSK-27: trimming goes by last access down to half the limit`() throws {
        let store = open()
        try fill(store, ["a", "b", "c", "d", "e"])
        _ = try store.data(named: "a")
        _ = try store.data(named: "b", extending: .none)
        store.sizeLimit = 51
        #expect(store.trim().removed == [])
        store.sizeLimit = 50
        #expect(store.trim().removed == ["b", "c", "d"])
        #expect(try visibleFiles() == ["a", "e"])
        #expect(store.statistics.trimmed == 3)
    }

    @Test func `DSK-27: no limit means no trimming`() throws {
        let store = open()
        try fill(store, ["a", "b"])
        #expect(store.trim() == DiskCleaning())
    }

    @Test func `W-18: a store that passes the limit trims by itself`() throws {
        let store = open()
        store.sizeLimit = 1_000
        for number in 0..<500 {
            try fill(store, ["n\(number)"], size: number % 90)
            #expect(store.totalSize <= 1_000)
            #expect(store.contains("n\(number)"))
        }
        #expect(try visibleFiles().count == store.statistics.count)
    }

    @Test func `an entry bigger than half the limit survives its own store`() throws {
        let store = open()
        store.sizeLimit = 100
        try fill(store, ["a"], size: 40)
        try fill(store, ["b"], size: 90)
        #expect(store.entries.map(\.name) == ["b"])
    }

    @Test func `an entry bigger than the limit is not stored, and nothing leaves for it`() throws {
        let store = open()
        store.sizeLimit = 100
        try fill(store, ["a", "b"], size: 40)
        #expect(throws: DiskError.tooLarge(key: "c", size: 101, limit: 100)) {
            try fill(store, ["c"], size: 101)
        }
        #expect(throws: DiskError.self) { try fill(store, ["a"], size: 101) }
        #expect(store.entries.map(\.name) == ["a", "b"])
        #expect(try visibleFiles() == ["a", "b"])
    }

    // MARK: Damage

    @Test func `W-17: bytes that changed are a miss, deleted and counted`() throws {
        let store = open()
        try fill(store, ["flipped", "longer", "shorter", "gone"])
        var flipped = Data(repeating: 1, count: 10)
        flipped[5] = 2
        try flipped.write(to: folder.file("cache/flipped"))
        try Data(repeating: 1, count: 11).write(to: folder.file("cache/longer"))
        try Data(repeating: 1, count: 9).write(to: folder.file("cache/shorter"))
        try FileManager.default.removeItem(at: folder.file("cache/gone"))
        for name in ["flipped", "longer", "shorter", "gone"] {
            #expect(try store.data(named: name) == nil)
            #expect(!store.contains(name))
        }
        #expect(store.statistics.damaged == 4)
        #expect(store.statistics.misses == 4)
        #expect(try visibleFiles() == [])
        #expect(store.totalSize == 0)
    }

    @Test func `what its reader can make nothing of is deleted and counted`() throws {
        let store = open()
        try fill(store, ["a"])
        store.discardDamaged("a")
        store.discardDamaged("a")
        #expect(!store.contains("a"))
        #expect(store.statistics.damaged == 1)
    }

    @Test func `verifying finds what is damaged, and deletes it when it repairs`() throws {
        let store = open()
        try fill(store, ["a", "b", "c"])
        try Data(repeating: 2, count: 10).write(to: folder.file("cache/b"))
        try FileManager.default.removeItem(at: folder.file("cache/c"))
        #expect(store.verify(repairing: false) == ["b", "c"])
        #expect(store.entries.count == 3)
        #expect(store.verify(repairing: true) == ["b", "c"])
        #expect(try visibleFiles() == ["a"])
        #expect(store.verify(repairing: true) == [])
        #expect(store.statistics.damaged == 2)
    }

    // MARK: Options

    @Test func `sealed bytes are not readable on disk and found again`() throws {
        let key = Data((0..<32).map { UInt8($0) })
        let store = open(.init(transformer: AESGCMTransformer(key: key)))
        let secret = bytes("a secret that nobody may read")
        try store.store(secret, named: "a", key: "a", expiration: .never)
        try store.store(secret, named: "b", key: "b", expiration: .never)
        let onDisk = try Data(contentsOf: folder.file("cache/a"))
        #expect(onDisk.range(of: bytes("secret")) == nil)
        #expect(try store.data(named: "a") == secret)
        let stranger = open(.init(transformer: AESGCMTransformer(key: Data(count: 32))))
        #expect(try stranger.data(named: "a") == nil)
        #expect(try store.data(named: "b") == secret)
    }

    @Test func `a synced store waits for file, log and folder`() throws {
        let store = open()
        store.syncs = true
        try store.prepare()
        _ = files.takeCalls()
        try fill(store, ["a"])
        #expect(files.takeCalls().filter { $0 == .sync }.count == 2)
        #expect(try store.data(named: "a")?.count == 10)
    }

    @Test func `accesses reach the log in bunches, not one by one`() throws {
        let store = open()
        try fill(store, ["a", "b"])
        _ = files.takeCalls()
        for _ in 0..<100 { _ = try store.data(named: "a") }
        #expect(!files.takeCalls().contains(.append))
        clock.advance(by: 31)
        _ = try store.data(named: "a")
        #expect(files.takeCalls().filter { $0 == .append }.count == 1)
        #expect(open().entries.map(\.name) == ["b", "a"])
    }

    @Test func `the log does not grow without bound`() throws {
        let store = open()
        for round in 0..<2_000 { try fill(store, ["name \(round % 5)"]) }
        let log = try Data(contentsOf: folder.file("cache/.kingfisher.log"))
        #expect(log.count < 70_000)
        #expect(open().entries.count == 5)
    }
}
