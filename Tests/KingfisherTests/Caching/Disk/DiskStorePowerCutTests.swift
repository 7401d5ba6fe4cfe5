import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// Records without their files and files without their records, as a power cut leaves them.
///
/// Nothing of it is ever wrong.
struct DiskStorePowerCutTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private var log: URL { folder.file(".kingfisher.log") }

    private func open(boot: String?) -> DiskStore {
        DiskStore(directory: folder.url.path, options: .init(bootID: boot))
    }

    private func data(_ name: String) -> Data { Data("what was stored as \(name)".utf8) }

    private func put(_ name: String, in store: DiskStore) throws {
        try store.store(data(name), named: name, key: name, expiration: .never)
    }

    /// Gives a file the same size, and bytes that never reached the medium.
    private func tear(_ name: String) throws {
        try Data(count: data(name).count).write(to: folder.file(name))
    }

    private func size(ofLogAfter body: () throws -> Void) throws -> UInt64 {
        try body()
        return UInt64(try Data(contentsOf: log).count)
    }

    private func cutLog(to size: UInt64) throws {
        let file = try FileHandle(forWritingTo: log)
        try file.truncate(atOffset: size)
        try file.close()
    }

    private func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.file(name).path)
    }

    @Test func `a file that lost its bytes is missing, the others are intact`() throws {
        let store = open(boot: "one")
        for name in ["a", "b", "c"] { try put(name, in: store) }
        try tear("b")
        let next = open(boot: "two")
        #expect(try next.data(named: "a") == data("a"))
        #expect(try next.data(named: "b") == nil)
        #expect(try next.data(named: "c") == data("c"))
        #expect(next.statistics.damaged == 1)
        #expect(next.statistics.damagedReads == 1)
        #expect(!exists("b"))
    }

    @Test func `a file whose record was lost is not trusted`() throws {
        let store = open(boot: "one")
        let size = try size { try put("a", in: store) }
        try put("b", in: store)
        try cutLog(to: size)
        try tear("b")
        let next = open(boot: "two")
        #expect(!next.contains("b"))
        #expect(try next.data(named: "b") == nil)
        #expect(try next.data(named: "a") == data("a"))
        #expect(next.statistics.damaged == 1)
        #expect(!exists("b"))
    }

    @Test func `an overwritten file whose new record was lost is not trusted`() throws {
        let store = open(boot: "one")
        let size = try size { try put("a", in: store) }
        try store.store(Data("newer and longer".utf8), named: "a", key: "a", expiration: .never)
        try cutLog(to: size)
        try Data(count: 16).write(to: folder.file("a"))
        #expect(try open(boot: "two").data(named: "a") == nil)
    }

    @Test func `half a record at the end costs its own entry alone`() throws {
        let store = open(boot: "one")
        let size = try size { try put("a", in: store) }
        try put("b", in: store)
        try cutLog(to: size + 20)
        try tear("b")
        let next = open(boot: "two")
        #expect(try next.data(named: "a") == data("a"))
        #expect(try next.data(named: "b") == nil)
        try put("b", in: next)
        #expect(try open(boot: "two").data(named: "b") == data("b"))
    }

    @Test func `a file that was there long before the last store is taken in`() throws {
        try put("a", in: open(boot: "one"))
        try Data("by hand".utf8).write(to: folder.file("stranger"))
        let hourAgo = Date(timeIntervalSinceNow: -3600)
        try FileManager.default.setAttributes(
            [.modificationDate: hourAgo],
            ofItemAtPath: folder.file("stranger").path
        )
        let next = open(boot: "two")
        #expect(try next.data(named: "stranger") == Data("by hand".utf8))
        #expect(try next.data(named: "a") == data("a"))
    }

    @Test func `without a new start of the machine nothing is doubted`() throws {
        let store = open(boot: "one")
        let size = try size { try put("a", in: store) }
        try put("b", in: store)
        try cutLog(to: size)
        // The end of a process tears no file: the kernel still has the bytes.
        #expect(try open(boot: "one").data(named: "b") == data("b"))
        #expect(try open(boot: nil).data(named: "b") == data("b"))
    }

    @Test func `a start is noted once, and doubts what came before it once`() throws {
        try put("a", in: open(boot: "one"))
        try put("b", in: open(boot: "two"))
        let size = try Data(contentsOf: log).count
        let again = open(boot: "two")
        #expect(try again.data(named: "a") == data("a"))
        #expect(try again.data(named: "b") == data("b"))
        #expect(try Data(contentsOf: log).count == size)
        try Data("stranger".utf8).write(to: folder.file("stranger"))
        #expect(try open(boot: "two").data(named: "stranger") == Data("stranger".utf8))
    }

    @Test func `a log that is written anew is on the medium before it takes the old one's place`()
        throws
    {
        let files = FaultyFileSystem()
        try put("a", in: open(boot: "one"))
        try FileManager.default.removeItem(at: log)
        files.fail { operation, path in
            operation == .unsyncedWrite && path.hasSuffix(".tmp") ? .ioError : nil
        }
        let store = DiskStore(directory: folder.url.path, files: files)
        try store.prepare()
        #expect(FileManager.default.fileExists(atPath: log.path))
        #expect(try Data(contentsOf: log).count > LogRecord.header.count)
    }

    @Test func `the system tells one start from another`() throws {
        let id = try #require(SystemBoot.id)
        #expect(UUID(uuidString: id) != nil)
    }
}
