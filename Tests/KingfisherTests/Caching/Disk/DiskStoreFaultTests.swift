import Foundation
import KingfisherTesting
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// Faults of the file system: they are reported, nothing that was stored is lost, and when they
/// end the store goes on.
struct DiskStoreFaultTests {
    private let clock = ManualClock()
    private let files = FaultyFileSystem()
    private let folder: TemporaryDirectory
    private let store: DiskStore

    init() throws {
        folder = try TemporaryDirectory()
        let path = folder.file("cache").path
        store = DiskStore(directory: path, files: files, clock: clock.clock)
        try store.store(Data("old".utf8), named: "a", key: "a", expiration: .never)
    }

    private var path: String { folder.file("cache").path }

    private func reopened() -> DiskStore { DiskStore(directory: path, clock: clock.clock) }

    private func put(_ text: String, _ name: String = "a") throws {
        try store.store(Data(text.utf8), named: name, key: name, expiration: .never)
    }

    private func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".tmp") }
    }

    @Test(arguments: [Errno.noSpace, .ioError, .readOnlyFileSystem])
    func `a file that cannot be written is reported and changes nothing`(errno: Errno) throws {
        files.fail { operation, _ in operation == .write ? errno : nil }
        #expect(throws: DiskError.cannotWrite(path: path + "/a", key: "a", errno)) {
            try put("new")
        }
        #expect(try store.data(named: "a") == Data("old".utf8))
        #expect(try reopened().data(named: "a") == Data("old".utf8))
        files.fail(with: nil)
        try put("new")
        #expect(try reopened().data(named: "a") == Data("new".utf8))
        #expect(try leftovers() == [])
    }

    @Test(arguments: [FaultyFileSystem.Operation.append, .rename])
    func `an announcement or a rename that fails is taken back`(
        fault: FaultyFileSystem.Operation
    ) throws {
        files.fail { operation, _ in operation == fault ? .noSpace : nil }
        #expect(throws: DiskError.cannotWrite(path: path + "/a", key: "a", .noSpace)) {
            try put("new")
        }
        #expect(try store.data(named: "a") == Data("old".utf8))
        #expect(try reopened().data(named: "a") == Data("old".utf8))
        #expect(try leftovers() == [])
        files.fail(with: nil)
        try put("new")
        #expect(try reopened().data(named: "a") == Data("new".utf8))
    }

    @Test func `a log that cannot even be taken back loses nothing else`() throws {
        try put("other", "b")
        files.fail { operation, _ in
            operation == .rename || operation == .truncate ? .ioError : nil
        }
        #expect(throws: DiskError.self) { try put("new") }
        files.fail(with: nil)
        #expect(try store.data(named: "b") == Data("other".utf8))
        try put("third")
        #expect(try store.data(named: "a") == Data("third".utf8))
        #expect(try reopened().data(named: "b") == Data("other".utf8))
        #expect(try reopened().data(named: "a") == Data("third".utf8))
    }

    @Test func `a folder that cannot be synced is reported, and the new entry is there`() throws {
        store.syncs = true
        files.fail { operation, path in operation == .sync && !path.isEmpty ? .ioError : nil }
        #expect(throws: DiskError.cannotWrite(path: path + "/a", key: "a", .ioError)) {
            try put("new")
        }
        #expect(try store.data(named: "a") == Data("new".utf8))
        #expect(try reopened().data(named: "a") == Data("new".utf8))
        #expect(store.statistics.damaged == 0)
        #expect(try leftovers() == [])
    }

    @Test func `DSK-18: a file that cannot be read is an error and stays`() throws {
        files.fail { operation, path in
            operation == .read && path.hasSuffix("/a") ? .ioError : nil
        }
        #expect(throws: DiskError.cannotRead(path: path + "/a", key: "a", .ioError)) {
            try store.data(named: "a")
        }
        files.fail(with: nil)
        #expect(try store.data(named: "a") == Data("old".utf8))
    }

    @Test func `DSK-18: a link that leads nowhere is a miss`() throws {
        let file = folder.file("cache").appendingPathComponent("a")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(
            at: file,
            withDestinationURL: folder.file("nowhere")
        )
        #expect(try store.data(named: "a") == nil)
        try put("new")
        #expect(try store.data(named: "a") == Data("new".utf8))
    }

    @Test func `W-20: one undeletable file does not stop a cleaning`() throws {
        for name in ["b", "c", "d"] {
            try store.store(Data("x".utf8), named: name, key: name, expiration: .seconds(5))
        }
        clock.advance(by: 5)
        files.fail { operation, path in
            operation == .remove && path.hasSuffix("/c") ? .permissionDenied : nil
        }
        let cleaning = store.removeExpired()
        #expect(cleaning.removed == ["b", "d"])
        let failure = DiskError.cannotRemove(path: path + "/c", .permissionDenied)
        #expect(cleaning.failures == [failure])
        #expect(throws: failure) { try store.remove("c") }
        #expect(store.entries.map(\.name).sorted() == ["a", "c"])
        #expect(reopened().entries.map(\.name).sorted() == ["a", "c"])
        files.fail(with: nil)
        #expect(store.removeExpired().removed == ["c"])
    }

    @Test func `a trim that can delete nothing ends`() throws {
        store.sizeLimit = 4
        files.fail { operation, _ in operation == .remove ? .permissionDenied : nil }
        try put("more", "b")
        #expect(store.totalSize == 7)
        files.fail(with: nil)
        try put("c", "c")
        #expect(store.entries.map(\.name) == ["c"])
    }

    @Test func `DSK-10: a folder that vanished is made again`() throws {
        try FileManager.default.removeItem(atPath: path)
        #expect(try store.data(named: "a") == nil)
        try put("new", "b")
        #expect(try store.data(named: "b") == Data("new".utf8))
        try FileManager.default.removeItem(atPath: path)
        try put("again", "b")
        #expect(store.entries.map(\.name) == ["b"])
        #expect(try reopened().data(named: "b") == Data("again".utf8))
    }

    @Test func `a folder that was replaced by another is noticed`() throws {
        let other = DiskStore(directory: folder.file("other").path)
        try other.store(Data("theirs".utf8), named: "t", key: "t", expiration: .never)
        try FileManager.default.moveItem(atPath: path, toPath: folder.file("away").path)
        try FileManager.default.moveItem(atPath: folder.file("other").path, toPath: path)
        try put("new", "b")
        #expect(store.entries.map(\.name).sorted() == ["b", "t"])
        #expect(try store.data(named: "t") == Data("theirs".utf8))
    }

    @Test func `DSK-12: a folder that cannot be made is reported, and made when it can be`() throws
    {
        let blocked = folder.file("blocked")
        try Data().write(to: blocked)
        let path = blocked.appendingPathComponent("cache").path
        let store = DiskStore(directory: path)
        #expect(throws: DiskError.cannotCreateDirectory(path: path, .notDirectory)) {
            try store.prepare()
        }
        #expect(!store.contains("a"))
        #expect(try store.data(named: "a") == nil)
        #expect(throws: DiskError.cannotCreateDirectory(path: path, .notDirectory)) {
            try store.store(Data(), named: "a", key: "a", expiration: .never)
        }
        try FileManager.default.removeItem(at: blocked)
        try store.store(Data("x".utf8), named: "a", key: "a", expiration: .never)
        #expect(try store.data(named: "a") == Data("x".utf8))
    }

    @Test func `a read-only folder can be read`() throws {
        let refusal: @Sendable (FaultyFileSystem.Operation, String) -> Errno? = { operation, path in
            switch operation {
            case .write, .append, .rename, .remove: .readOnlyFileSystem
            case .open:
                path.hasSuffix(".log") && FileManager.default.isWritableFile(atPath: path)
                    ? nil : .readOnlyFileSystem
            default: nil
            }
        }
        files.fail(with: refusal)
        let other = DiskStore(directory: path, files: files, clock: clock.clock)
        #expect(try other.data(named: "a") == Data("old".utf8))
        #expect(throws: DiskError.self) {
            try other.store(Data("new".utf8), named: "b", key: "b", expiration: .never)
        }
        #expect(throws: DiskError.self) { try other.remove("a") }
        #expect(throws: DiskError.self) { try other.removeAll() }
        #expect(try other.data(named: "a") == Data("old".utf8))
        files.fail(with: nil)
        try other.store(Data("new".utf8), named: "b", key: "b", expiration: .never)
        #expect(try store.data(named: "b") == Data("new".utf8))
    }

    @Test func `a log that cannot be opened leaves the files readable`() throws {
        files.fail { operation, path in
            operation == .open && path.hasSuffix(".log") ? .permissionDenied : nil
        }
        let other = DiskStore(directory: path, files: files, clock: clock.clock)
        #expect(try other.data(named: "a") == Data("old".utf8))
        let logPath = path + "/.kingfisher.log"
        #expect(throws: DiskError.cannotWriteIndex(path: logPath, .permissionDenied)) {
            try other.store(Data("new".utf8), named: "b", key: "b", expiration: .never)
        }
        files.fail(with: nil)
        try other.store(Data("new".utf8), named: "b", key: "b", expiration: .never)
        #expect(try other.data(named: "b") == Data("new".utf8))
    }

    @Test func `no space for a new log is no reason not to read`() throws {
        try FileManager.default.removeItem(atPath: path + "/.kingfisher.log")
        files.fail { operation, _ in operation == .write ? .noSpace : nil }
        let other = DiskStore(directory: path, files: files, clock: clock.clock)
        #expect(try other.data(named: "a") == Data("old".utf8))
        files.fail(with: nil)
        try other.store(Data("new".utf8), named: "b", key: "b", expiration: .never)
        #expect(reopened().entries.map(\.name).sorted() == ["a", "b"])
    }

    // MARK: Unnamed files

    @Test(arguments: [FaultyFileSystem.Operation.unnamedWrite, .link])
    func `a file system without unnamed files is asked once`(
        missing: FaultyFileSystem.Operation
    ) throws {
        _ = files.takeCalls()
        files.fail { operation, _ in operation == missing ? .notSupported : nil }
        try put("1", "b")
        try put("2", "c")
        #expect(files.takeCalls().filter { $0 == .unnamedWrite }.count == 1)
        #expect(try store.data(named: "b") == Data("1".utf8))
        #expect(try reopened().data(named: "c") == Data("2".utf8))
        #expect(try leftovers() == [])
    }

    @Test func `a new entry takes the place of a file without an entry`() throws {
        try Data("foreign".utf8).write(to: folder.file("cache/b"))
        try put("1", "b")
        #expect(try store.data(named: "b") == Data("1".utf8))
        #expect(try reopened().data(named: "b") == Data("1".utf8))
        #expect(try leftovers() == [])
    }

    @Test func `of two stores of a new name the one that ends last counts`() throws {
        files.fail { [store, files] operation, _ in
            guard operation == .unnamedWrite else { return nil }
            files.fail(with: nil)
            #expect(throws: Never.self) {
                try store.store(Data("1".utf8), named: "b", key: "b", expiration: .never)
            }
            return nil
        }
        try put("22", "b")
        #expect(try store.data(named: "b") == Data("22".utf8))
        #expect(store.totalSize == 5)
        #expect(try reopened().data(named: "b") == Data("22".utf8))
        #expect(try leftovers() == [])
    }
}
