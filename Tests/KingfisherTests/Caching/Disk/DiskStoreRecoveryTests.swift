import Foundation
import KingfisherTesting
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// What is left when the log is missing or damaged, or when a process died at any step.
struct DiskStoreRecoveryTests {
    private let folder: TemporaryDirectory
    private let clock = ManualClock()

    init() throws { folder = try TemporaryDirectory() }

    private var path: String { folder.url.path }
    private var log: URL { folder.file(".kingfisher.log") }

    private func open() -> DiskStore { DiskStore(directory: path, clock: clock.clock) }

    /// A store that has found that it cannot write unnamed files.
    private func openWithoutUnnamedFiles() throws -> DiskStore {
        let files = FaultyFileSystem()
        files.fail { operation, _ in operation == .unnamedWrite ? .notSupported : nil }
        let store = DiskStore(directory: path, files: files, clock: clock.clock)
        try store.store(Data("named".utf8), named: "named", key: "k", expiration: .never)
        return store
    }

    private func data(_ number: Int) -> Data { Data("content \(number)".utf8) }

    private func fill(_ count: Int) throws {
        let store = open()
        for number in 0..<count {
            try store.store(data(number), named: "n\(number)", key: "k", expiration: .never)
        }
    }

    @Test func `a missing log is made again of the folder`() throws {
        try fill(50)
        try FileManager.default.removeItem(at: log)
        let store = open()
        for number in 0..<50 { #expect(try store.data(named: "n\(number)") == data(number)) }
        #expect(store.statistics.rebuilds == 1)
        #expect(store.statistics.adopted == 50)
        #expect(open().statistics.rebuilds == 0)
    }

    @Test func `a file without proof is removed if its name is a hash, and left alone if not`()
        throws
    {
        try fill(1)
        let hashed = FileNaming().name(forKey: "k")
        let names = [hashed, hashed + ".png", "notes.txt", String(hashed.dropLast())]
        for name in names { try Data("foreign".utf8).write(to: folder.file(name)) }
        try FileManager.default.removeItem(at: log)
        let store = open()
        #expect(store.entries.map(\.name) == ["n0"])
        #expect(store.statistics.damaged == 2)
        let left = names.filter { FileManager.default.fileExists(atPath: folder.file($0).path) }
        #expect(left == Array(names.suffix(2)))
    }

    @Test func `folders and hidden files of others are left alone`() throws {
        let inner = folder.file("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try fill(1)
        let store = open()
        #expect(store.entries.map(\.name) == ["n0"])
        store.sizeLimit = 1
        #expect(store.trim().removed == ["n0"])
        #expect(FileManager.default.fileExists(atPath: inner.path))
    }

    @Test func `a damaged log loses no file, wherever the damage is`() throws {
        try fill(6)
        let store = open()
        try store.store(data(7), named: "n0", key: "k", expiration: .never)
        try store.remove("n1")
        let whole = try Data(contentsOf: log)
        for offset in stride(from: 0, to: whole.count, by: 5) {
            var damaged = whole
            damaged[offset] ^= 0x55
            try damaged.write(to: log)
            let other = open()
            #expect(try other.data(named: "n0") == data(7))
            for number in 2..<6 { #expect(try other.data(named: "n\(number)") == data(number)) }
            #expect(!other.contains("n1"))
            #expect(other.statistics.rebuilds == 1)
        }
    }

    @Test func `a log that is cut anywhere loses no file`() throws {
        try fill(6)
        let whole = try Data(contentsOf: log)
        for count in stride(from: 0, to: whole.count, by: 7) {
            try whole.prefix(count).write(to: log)
            let store = open()
            for number in 0..<6 { #expect(try store.data(named: "n\(number)") == data(number)) }
        }
    }

    @Test func `temporary files of dead processes are removed while others use the folder`()
        throws
    {
        try fill(1)
        let temporary = folder.file(".kingfisher-abc.tmp")
        let isThere = { FileManager.default.fileExists(atPath: temporary.path) }
        let living = open()
        try living.prepare()
        // By a process that opens the folder.
        try Data("half".utf8).write(to: temporary)
        try open().prepare()
        #expect(!isThere())
        // By clearing.
        try Data("half".utf8).write(to: temporary)
        try living.removeAll()
        #expect(!isThere())
        // By cleaning, where each store writes such a file.
        let naming = try openWithoutUnnamedFiles()
        try Data("half".utf8).write(to: temporary)
        _ = naming.removeExpired()
        #expect(!isThere())
        withExtendedLifetime(living) {}
    }

    @Test func `DSK-29: temporary files of dead processes count while they cannot be removed`()
        throws
    {
        try fill(3)
        let size = open().totalSize
        let temporary = folder.file(".kingfisher-abc.tmp")
        try Data(count: 1_000).write(to: temporary)
        let files = FaultyFileSystem()
        files.fail { operation, path in
            operation == .remove && path.hasSuffix(".tmp") ? .ioError : nil
        }
        let store = DiskStore(directory: path, files: files, clock: clock.clock)
        #expect(store.totalSize == size + 1_000)
        #expect(store.statistics.size == size + 1_000)
        // The limit sees them, too.
        store.sizeLimit = 1_000 + size - 1
        #expect(!store.trim().removed.isEmpty)
        // A folder that cannot be written is read as it is.
        try fill(3)
        try Data(count: 1_000).write(to: temporary)
        let log = try POSIXFileSystem().open(log.path, writable: true)
        try POSIXFileSystem().lock(log, sharing: false, waiting: .zero)
        let refused = DiskStore(
            directory: path,
            clock: clock.clock,
            options: .init(lockLimit: .milliseconds(1))
        )
        #expect(refused.totalSize == size + 1_000)
        POSIXFileSystem().unlock(log)
        // Removed at last, they do not count.
        #expect(open().totalSize == size)
    }

    @Test func `DSK-29: the size is asked of a folder without the files of dead processes`() throws
    {
        try fill(3)
        let living = try openWithoutUnnamedFiles()
        let size = living.totalSize
        let temporary = folder.file(".kingfisher-abc.tmp")
        try Data(count: 1_000).write(to: temporary)
        #expect(living.totalSize == size)
        #expect(!FileManager.default.fileExists(atPath: temporary.path))
        // Trimming looks for them, too.
        try Data(count: 1_000).write(to: temporary)
        living.sizeLimit = size
        _ = living.trim()
        #expect(!FileManager.default.fileExists(atPath: temporary.path))
    }

    @Test func `a process that dies while it replaces entries leaves no temporary file`() throws {
        let temporaries = {
            try FileManager.default.contentsOfDirectory(atPath: path).filter {
                $0.hasSuffix(".tmp")
            }
        }
        for steps in 0..<4 {
            let files = FaultyFileSystem()
            let dying = DiskStore(directory: path, files: files, clock: clock.clock)
            try dying.store(data(1), named: "n", key: "k", expiration: .never)
            let living = open()
            try living.prepare()
            files.die(afterSteps: steps, .after)
            #expect(throws: DiskError.self) {
                try dying.store(data(2), named: "n", key: "k", expiration: .never)
            }
            // Nothing before its bytes are complete, and then only until the next one opens the
            // folder.
            if steps == 0 { #expect(try temporaries() == []) }
            try open().prepare()
            #expect(try temporaries() == [], "after \(steps) steps")
            withExtendedLifetime(living) {}
        }
    }

    @Test func `temporary files go when no other process is there`() throws {
        let temporary = folder.file(".kingfisher-abc.tmp")
        try Data("half".utf8).write(to: temporary)
        try open().prepare()
        #expect(!FileManager.default.fileExists(atPath: temporary.path))
    }

    @Test func `a store that only lacked the end of the file before it has been made`() throws {
        let files = FaultyFileSystem()
        let store = DiskStore(directory: path, files: files, clock: clock.clock)
        try store.store(data(1), named: "n", key: "k", expiration: .never)
        files.fail { operation, _ in operation == .remove ? .ioError : nil }
        try store.store(data(2), named: "n", key: "k", expiration: .never)
        let other = open()
        #expect(try other.data(named: "n") == data(2))
        #expect(other.statistics.damaged == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(!left.contains { $0.hasSuffix(".tmp") })
    }

    @Test func `a file system that cannot exchange names replaces entries all the same`() throws {
        let files = FaultyFileSystem()
        let store = DiskStore(directory: path, files: files, clock: clock.clock)
        for number in 0..<3 {
            try store.store(data(number), named: "n", key: "k", expiration: .never)
            files.fail { operation, _ in operation == .exchange ? .invalidArgument : nil }
        }
        #expect(try store.data(named: "n") == data(2))
        #expect(try open().data(named: "n") == data(2))
    }

    // MARK: Death at every step

    private struct Expectation {
        var contents: [String: Data] = [:]
        /// What the operation that was going on when the process died would have made of it.
        var intended: [String: Data] = [:]
        /// Whether it was trimming then, so that anything may be gone.
        var isTrimming = false
    }

    @Test(arguments: zip(FaultyFileSystem.Death.allCases, [1, 2, 3] as [UInt64]))
    func `whatever step a process dies at, what it reported is there and nothing is wrong`(
        death: FaultyFileSystem.Death,
        seed: UInt64
    ) throws {
        for steps in 0..<70 {
            let folder = try TemporaryDirectory()
            let expected = live(in: folder.url.path, dyingAfter: steps, death, seed: seed)
            let store = DiskStore(directory: folder.url.path, clock: clock.clock)
            try store.prepare()
            for number in 0..<8 {
                let name = "n\(number)"
                let found = try store.data(named: name)
                let isRight =
                    found == expected.contents[name] || found == expected.intended[name]
                    || expected.isTrimming && found == nil
                #expect(isRight, "\(name) after \(steps) steps")
            }
            #expect(store.statistics.damaged == 0, "after \(steps) steps")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(!files.contains { $0.hasSuffix(".tmp") })
            #expect(files.filter { !$0.hasPrefix(".") }.count == store.entries.count)
        }
    }

    /// Works in a folder until it dies.
    private func live(
        in path: String,
        dyingAfter steps: Int,
        _ death: FaultyFileSystem.Death,
        seed: UInt64
    ) -> Expectation {
        var random = SplitMix(seed: seed)
        let files = FaultyFileSystem()
        files.die(afterSteps: steps, death)
        let store = DiskStore(directory: path, files: files, clock: clock.clock)
        var expected = Expectation()
        for step in 0..<60 where !files.isDead {
            let name = "n\(Int.random(in: 0..<8, using: &random))"
            let data = Data("content \(step) of \(name)".utf8)
            expected.intended = expected.contents
            do throws(DiskError) {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<6:
                    expected.intended[name] = data
                    try store.store(data, named: name, key: name, expiration: .never)
                case 6, 7:
                    expected.intended[name] = nil
                    try store.remove(name)
                case 8:
                    _ = try store.data(named: name)
                    store.log.flush()
                default:
                    expected.isTrimming = true
                    store.sizeLimit = 90
                    _ = store.trim()
                    store.sizeLimit = 0
                }
            } catch .notFound {
                continue
            } catch {
                break
            }
            if files.isDead { break }
            let left = Set(store.entries.map(\.name))
            expected.contents = expected.intended.filter { left.contains($0.key) }
            expected.isTrimming = false
        }
        return expected
    }
}
