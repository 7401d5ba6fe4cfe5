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

    private func open() -> DiskStore { DiskStore(directory: folder.url.path) }

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
        let store = open()
        for name in ["a", "b", "c"] { try put(name, in: store) }
        try tear("b")
        let next = open()
        #expect(try next.data(named: "a") == data("a"))
        #expect(try next.data(named: "b") == nil)
        #expect(try next.data(named: "c") == data("c"))
        #expect(next.statistics.damaged == 1)
        #expect(next.statistics.damagedReads == 1)
        #expect(!exists("b"))
    }

    @Test func `a file whose record was lost is not trusted`() throws {
        let store = open()
        let size = try size { try put("a", in: store) }
        try put("b", in: store)
        try cutLog(to: size)
        try tear("b")
        let next = open()
        #expect(try next.data(named: "b") == nil)
        #expect(try next.data(named: "a") == data("a"))
        #expect(next.statistics.damaged == 1)
        #expect(!exists("b"))
    }

    @Test func `an overwritten file whose new record was lost is not trusted`() throws {
        let store = open()
        let size = try size { try put("a", in: store) }
        try store.store(Data("newer and longer".utf8), named: "a", key: "a", expiration: .never)
        try cutLog(to: size)
        try Data(count: 16).write(to: folder.file("a"))
        #expect(try open().data(named: "a") == nil)
    }

    @Test func `half a record at the end costs its own entry alone`() throws {
        let store = open()
        let size = try size { try put("a", in: store) }
        try put("b", in: store)
        try cutLog(to: size + 20)
        try tear("b")
        let next = open()
        #expect(try next.data(named: "a") == data("a"))
        #expect(try next.data(named: "b") == nil)
        try put("b", in: next)
        #expect(try open().data(named: "b") == data("b"))
    }

    @Test func `a whole file whose record was lost is taken in`() throws {
        let store = open()
        let size = try size { try put("a", in: store) }
        try put("b", in: store)
        try cutLog(to: size)
        #expect(try open().data(named: "b") == data("b"))
    }

    @Test func `a log that is rewritten is on the medium before it takes the old one's place`()
        throws
    {
        let files = FaultyFileSystem()
        try put("a", in: open())
        try FileManager.default.removeItem(at: log)
        files.fail { operation, path in
            operation == .unsyncedWrite && path.hasSuffix(".tmp") ? .ioError : nil
        }
        let store = DiskStore(directory: folder.url.path, files: files)
        try store.prepare()
        #expect(FileManager.default.fileExists(atPath: log.path))
        #expect(try Data(contentsOf: log).count > LogRecord.header.count)
    }
}
