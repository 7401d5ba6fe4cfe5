import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// Several stores on one folder, as several processes have them.
struct DiskStoreSharingTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func open() -> DiskStore { DiskStore(directory: folder.url.path) }

    private func put(_ text: String, _ name: String, in store: DiskStore) throws {
        try store.store(Data(text.utf8), named: name, key: name, expiration: .never)
    }

    @Test func `W-21: each sees what the other stored, replaced and removed`() throws {
        let one = open()
        let two = open()
        try put("1", "a", in: one)
        #expect(try two.data(named: "a") == Data("1".utf8))
        try put("22", "a", in: two)
        #expect(try one.data(named: "a") == Data("22".utf8))
        #expect(one.totalSize == 2)
        try one.remove("a")
        #expect(!two.contains("a"))
        try put("3", "b", in: two)
        try one.removeAll()
        #expect(!two.contains("b"))
        try put("4", "c", in: two)
        #expect(one.entries.map(\.name) == ["c"])
    }

    @Test func `a log that one rewrites is found by the other`() throws {
        let one = open()
        let two = open()
        #expect(!two.contains("n1"))
        for round in 0..<2_000 { try put("\(round)", "n\(round % 3)", in: one) }
        #expect(try two.data(named: "n1") == Data("1999".utf8))
        try put("x", "from two", in: two)
        #expect(try one.data(named: "from two") == Data("x".utf8))
    }

    @Test func `what a dying store announced is done by another that saw it announced`() throws {
        let files = FaultyFileSystem()
        let dying = DiskStore(directory: folder.url.path, files: files)
        try put("1", "a", in: dying)
        let other = open()
        #expect(try other.data(named: "a") == Data("1".utf8))
        // It writes the file, gives it a temporary name, announces it, and dies before it gives it
        // its name.
        files.die(afterSteps: 3, .before)
        #expect(throws: DiskError.self) { try put("22", "a", in: dying) }
        #expect(other.totalSize == 2)
        #expect(try other.data(named: "a") == Data("22".utf8))
        #expect(other.statistics.damaged == 0)
    }

    @Test func `a new entry that a dying store announced is dropped by the next to write`() throws {
        let files = FaultyFileSystem()
        let dying = DiskStore(directory: folder.url.path, files: files)
        try put("1", "a", in: dying)
        let other = open()
        #expect(try other.data(named: "a") == Data("1".utf8))
        // It announces a file without a name, and dies before it gives it its name.
        files.die(afterSteps: 2, .before)
        #expect(throws: DiskError.self) { try put("22", "b", in: dying) }
        try put("333", "c", in: other)
        #expect(other.entries.map(\.name) == ["a", "c"])
        #expect(open().entries.map(\.name) == ["a", "c"])
        #expect(other.statistics.damaged == 0)
    }

    @Test func `what a store writes stays, whichever process opens the folder`() throws {
        let writing = folder.file(".kingfisher-1.tmp")
        let log = folder.file(".kingfisher.log")
        var first: DiskStore? = open()
        try first?.prepare()
        let second = open()
        try second.prepare()
        let (held, _) = try POSIXFileSystem().write(
            Data("x".utf8),
            proof: nil,
            toNew: writing.path,
            synced: false
        )
        // One opens the folder anew, because its log is gone.
        try FileManager.default.removeItem(at: log)
        if let first { try put("1", "a", in: first) }
        #expect(FileManager.default.fileExists(atPath: writing.path))
        // The one that came second is the only one, and another comes.
        first = nil
        try open().prepare()
        #expect(FileManager.default.fileExists(atPath: writing.path))
        // The only one opens the folder anew, while threads of its own may be writing.
        try FileManager.default.removeItem(at: log)
        try put("2", "a", in: second)
        #expect(FileManager.default.fileExists(atPath: writing.path))
        try second.removeAll()
        #expect(FileManager.default.fileExists(atPath: writing.path))
        withExtendedLifetime(held) {}
    }

    @Test func `a folder is not open while its log is being written`() throws {
        let files = FaultyFileSystem()
        let store = DiskStore(directory: folder.url.path, files: files)
        let seen = Locked<[Bool]>([])
        files.fail { [weak store] operation, path in
            if operation == .rename, path.hasSuffix(".log") {
                seen.change { $0.append(store?.isOpen ?? true) }
            }
            return nil
        }
        try store.prepare()
        #expect(seen.value == [false])
        #expect(store.isOpen)
    }

    @Test(.timeLimit(.minutes(1)), arguments: [".kingfisher.log", ".kingfisher.lock"])
    func `a lock that another process keeps costs one wait and an error`(name: String) throws {
        try put("1", "a", in: open())
        let files = POSIXFileSystem()
        let held = try files.open(folder.file(name).path, writable: true)
        try files.lock(held, sharing: false, waiting: .zero)
        let store = DiskStore(
            directory: folder.url.path,
            options: .init(lockLimit: .milliseconds(20))
        )
        #expect(try store.data(named: "a") == Data("1".utf8))
        if name.hasSuffix(".log") {
            let error = DiskError.locked(path: folder.url.path)
            #expect(throws: error) { try put("2", "b", in: store) }
            #expect(throws: error) { try store.removeAll() }
        } else {
            try put("2", "b", in: store)
        }
        files.unlock(held)
        try put("3", "b", in: store)
        #expect(try open().data(named: "b") == Data("3".utf8))
    }

    @Test(.timeLimit(.minutes(1))) func `no read waits for a lock of another process`() throws {
        let names = (0..<600).map { "\($0)" }
        let store = DiskStore(
            directory: folder.url.path,
            options: .init(lockLimit: .seconds(3600))
        )
        for name in names { try put(name, name, in: store) }
        let files = POSIXFileSystem()
        let log = folder.file(".kingfisher.log").path
        let held = try files.open(log, writable: true)
        try files.lock(held, sharing: false, waiting: .zero)
        let size = try files.status(of: log).size
        // So many accesses should be written to the log.
        for name in names { #expect(try store.data(named: name) == Data(name.utf8)) }
        #expect(try files.status(of: log).size == size)
        files.unlock(held)
        _ = try store.data(named: "0")
        #expect(try files.status(of: log).size > size)
    }

    @Test func `reads of a folder that cannot be written do not open it again`() throws {
        let names = (0..<600).map { "\($0)" }
        let first = open()
        for name in names { try put(name, name, in: first) }
        let files = FaultyFileSystem()
        let lists = Locked(0)
        files.fail { operation, _ in
            if operation == .list { lists.change { $0 += 1 } }
            return operation == .lock ? .timedOut : nil
        }
        let store = DiskStore(directory: folder.url.path, files: files)
        for name in names { #expect(try store.data(named: name) == Data(name.utf8)) }
        #expect(lists.value == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `stores of one folder may be used by many threads at once`() async throws {
        let stores = [open(), open()]
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { Self.work(on: stores[task % 2], seed: UInt64(task)) }
            }
        }
        #expect(stores.allSatisfy { $0.statistics.damaged == 0 })
        for store in stores { store.log.flush() }
        let names = stores.map { Set($0.entries.map(\.name)) }
        #expect(names[0] == names[1])
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(files.filter { !$0.hasPrefix(".") }) == names[0])
        for entry in stores[0].entries {
            let data = try #require(try stores[1].data(named: entry.name))
            #expect(Self.isWhole(data))
        }
    }

    private static func content(_ random: inout SplitMix) -> Data {
        let byte = UInt8.random(in: 0...255, using: &random)
        return Data(repeating: byte, count: Int.random(in: 1..<5_000, using: &random))
    }

    private static func isWhole(_ data: Data) -> Bool { data.allSatisfy { $0 == data.first } }

    private static func work(on store: DiskStore, seed: UInt64) {
        var random = SplitMix(seed: seed)
        store.sizeLimit = 60_000
        for _ in 0..<300 {
            let name = "n\(Int.random(in: 0..<40, using: &random))"
            do throws(DiskError) {
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<8:
                    let data = content(&random)
                    try store.store(data, named: name, key: name, expiration: .days(1))
                case 8: try store.remove(name)
                case 9: #expect(store.removeExpired().failures == [])
                case 10: #expect(store.trim().failures == [])
                default:
                    if let data = try store.data(named: name) { #expect(isWhole(data)) }
                }
            } catch .notFound {
                continue
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test func `W-21: two users of one path in a process share one cache`() throws {
        let link = folder.file("link")
        let target = folder.file("cache")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        var one: DiskCache? = DiskCache.shared(at: target)
        let two = DiskCache.shared(at: folder.file("x/../link"))
        #expect(one === two)
        let other = DiskCache.shared(at: folder.file("other"))
        #expect(one !== other)
        weak let gone = other
        one = nil
        withExtendedLifetime((two, gone)) {}
    }
}
