import Foundation
import KingfisherTesting
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// Metadata is committed with the bytes, and never belongs to others.
struct DiskStoreMetadataTests {
    private let folder: TemporaryDirectory
    private let clock = ManualClock()

    init() throws { folder = try TemporaryDirectory() }

    private var log: URL { folder.file(".kingfisher.log") }

    private func open(
        _ path: String? = nil,
        files: any FileSystem = POSIXFileSystem(),
        options: DiskStore.Options = .init()
    ) -> DiskStore {
        DiskStore(
            directory: path ?? folder.url.path,
            files: files,
            clock: clock.clock,
            options: options
        )
    }

    @discardableResult
    private func put(
        _ text: String,
        _ name: String = "a",
        metadata: String? = nil,
        in store: DiskStore
    ) throws -> EntryMetadata? {
        let metadata = metadata.map { EntryMetadata($0, encoded: Data($0.utf8)) }
        let data = Data(text.utf8)
        try store.store(data, named: name, key: name, expiration: .never, metadata: metadata)
        return metadata
    }

    private func metadata(_ name: String = "a", in store: DiskStore) throws -> String? {
        try store.contents(named: name)?.metadata.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private func describe(
        _ text: String,
        _ metadata: EntryMetadata?,
        _ name: String = "a",
        in store: DiskStore
    ) throws {
        let metadata = try #require(metadata)
        metadata.replace(by: text, encoded: Data(text.utf8))
        try store.describe(name, by: metadata)
    }

    @Test func `it comes with the bytes, here and after opening again`() throws {
        let store = open()
        try put("1", metadata: "one", in: store)
        try put("2", "b", in: store)
        for store in [store, open()] {
            #expect(try metadata(in: store) == "one")
            #expect(store.metadata(of: "a")?.bytes == Data("one".utf8))
            #expect(try metadata("b", in: store) == nil)
            #expect(try store.data(named: "b") == Data("2".utf8))
        }
    }

    @Test func `new bytes take the metadata away`() throws {
        let store = open()
        try put("1", metadata: "one", in: store)
        try put("2", in: store)
        #expect(try metadata(in: store) == nil)
        #expect(try metadata(in: open()) == nil)
    }

    @Test func `it can change as long as the bytes are the same`() throws {
        let (store, other) = (open(), open())
        let first = try put("1", metadata: "one", in: store)
        try describe("one again", first, in: store)
        for store in [store, other, open()] { #expect(try metadata(in: store) == "one again") }
        try put("2", metadata: "two", in: other)
        // The first store has not looked since; the bytes are another's now.
        try describe("one at last", first, in: store)
        for store in [store, other, open()] { #expect(try metadata(in: store) == "two") }
        try other.remove("a")
        try describe("one at last", first, in: store)
        #expect(store.metadata(of: "a") == nil)
    }

    @Test func `metadata of bytes that were not written yet is not written alone`() throws {
        let store = open()
        try put("1", metadata: "one", in: store)
        try describe("none", EntryMetadata("x", encoded: Data()), in: store)
        #expect(try metadata(in: store) == "one")
    }

    @Test func `it is in a log that is rewritten`() throws {
        let (store, other) = (open(), open())
        try put("1", metadata: "one", in: store)
        let second = try put("2", "b", metadata: "two", in: store)
        try put("3", "c", in: store)
        try describe("two again", second, "b", in: store)
        // More than 64 KiB of records, of which the last alone is of use.
        for _ in 0..<300 { try put("4", String(repeating: "d", count: 200), in: store) }
        #expect(try Data(contentsOf: log).count < 65_536)
        for store in [store, other, open()] {
            #expect(try metadata(in: store) == "one")
            #expect(try metadata("b", in: store) == "two again")
            #expect(try metadata("c", in: store) == nil)
        }
        try describe("two at last", second, "b", in: store)
        #expect(other.metadata(of: "b")?.bytes == Data("two at last".utf8))
    }

    @Test func `metadata that is too large is left out, and the bytes are stored`() throws {
        let store = open()
        try put("1", metadata: String(repeating: "x", count: 16_385), in: store)
        #expect(try store.data(named: "a") == Data("1".utf8))
        #expect(try metadata(in: store) == nil)
    }

    @Test func `a damaged log loses metadata and exchanges none`() throws {
        let store = open()
        try put("1", metadata: "one", in: store)
        try put("2", "b", metadata: "two", in: store)
        let whole = try Data(contentsOf: log)
        for offset in whole.indices {
            var damaged = whole
            damaged[offset] ^= 0x55
            try damaged.write(to: log)
            let store = open()
            #expect([nil, "one"].contains(try metadata(in: store)))
            #expect([nil, "two"].contains(try metadata("b", in: store)))
            #expect(try store.data(named: "a") == Data("1".utf8))
        }
    }

    @Test func `a record that changes after it was followed gives no metadata`() throws {
        let store = open()
        try put("1", metadata: "one", in: store)
        var bytes = try Data(contentsOf: log)
        bytes[bytes.count - 1] ^= 1
        let file = try FileHandle(forWritingTo: log)
        try file.write(contentsOf: bytes)
        try file.close()
        #expect(try metadata(in: store) == nil)
        #expect(try store.data(named: "a") == Data("1".utf8))
    }

    @Test func `a record that grew in its place gives no metadata`() throws {
        let store = open()
        try put("1", metadata: "one", in: store)
        let checksum = Checksum.of(Data("1".utf8))
        let longer = LogRecord.described("a", checksum: checksum, metadata: Data("one more".utf8))
        let file = try FileHandle(forWritingTo: log)
        try file.write(contentsOf: LogRecord.encode([longer], after: LogRecord.header))
        try file.close()
        #expect(try metadata(in: store) == nil)
        for _ in 0..<300 { try put("4", String(repeating: "d", count: 200), in: store) }
        #expect(try store.data(named: "a") == Data("1".utf8))
    }

    @Test func `a transformer seals it, and bytes do not pass for it`() throws {
        let options = DiskStore.Options(transformer: AESGCMTransformer(key: Data(count: 16)))
        let store = open(options: options)
        try put("1", metadata: "a secret", in: store)
        #expect(try metadata(in: open(options: options)) == "a secret")
        #expect(try Data(contentsOf: log).range(of: Data("secret".utf8)) == nil)
    }

    // MARK: Absences

    private func absence(_ store: DiskStore) -> String? {
        store.absence(of: "a").map { String(decoding: $0, as: UTF8.self) }
    }

    private func gone(for seconds: TimeInterval = 60) -> DiskAbsence {
        DiskAbsence(expiry: clock.now + seconds, metadata: Data("gone".utf8))
    }

    @Test func `a removal can have a reason, until the name has an entry again`() throws {
        let (store, other) = (open(), open())
        try put("1", metadata: "one", in: store)
        try store.remove("a", noting: gone())
        for store in [store, other, open()] {
            #expect(absence(store) == "gone")
            #expect(!store.contains("a"))
            #expect(store.entries.isEmpty)
        }
        #expect(throws: DiskError.notFound(path: folder.file("a").path)) { try other.remove("a") }
        for store in [store, other, open()] { #expect(absence(store) == nil) }
        try store.remove("a", noting: gone())
        try put("2", in: other)
        for store in [store, other, open()] { #expect(absence(store) == nil) }
        try store.remove("a", noting: gone())
        try store.removeAll()
        for store in [store, other, open()] { #expect(absence(store) == nil) }
    }

    @Test func `a reason is forgotten in time`() throws {
        let store = open()
        try store.remove("a", noting: gone(for: 60))
        clock.advance(by: 59)
        #expect(absence(store) == "gone")
        clock.advance(by: 1)
        for store in [store, open()] { #expect(absence(store) == nil) }
    }

    @Test func `reasons take bounded memory, and the last to expire stay`() throws {
        let store = open()
        for number in 0..<1_010 {
            try store.remove("n\(number)", noting: gone(for: 60 + Double(number)))
        }
        #expect(store.absence(of: "n9") == nil)
        #expect(store.absence(of: "n10") != nil)
        #expect(store.absence(of: "n1009") != nil)
    }

    @Test func `a reason is kept for names of files alone, and if it is small`() throws {
        let store = open()
        for name in [String(repeating: "n", count: 70_000), "a/b", ".kingfisher.log", ""] {
            #expect(throws: DiskError.invalidName(name, key: name)) {
                try store.remove(name, noting: gone())
            }
        }
        try put("1", in: store)
        let large = DiskAbsence(expiry: clock.now + 60, metadata: Data(count: 16_385))
        try store.remove("a", noting: large)
        #expect(absence(store) == nil)
        #expect(!store.contains("a"))
    }

    @Test func `metadata in a log that is larger than any that is written is damage`() {
        let large = Data(count: 16_385)
        let records: [LogRecord] = [
            .stored(.make("a"), temporary: 0, metadata: large),
            .described("a", checksum: 1, metadata: large),
            .absent("a", DiskAbsence(expiry: 1, metadata: large)),
        ]
        for record in records {
            var reader = LogReader()
            var count = 0
            reader.read(LogRecord.encode([record], after: LogRecord.header)) { _, _ in count += 1 }
            #expect(count == 0)
        }
    }

    @Test func `in a folder that cannot be written memory remembers`() throws {
        let files = FaultyFileSystem()
        let store = open(files: files)
        try store.prepare()
        files.fail { operation, _ in operation == .append ? .noSpace : nil }
        #expect(throws: DiskError.self) { try store.remove("a", noting: gone()) }
        #expect(absence(store) == "gone")
    }

    // MARK: Death at every step

    @Test(arguments: FaultyFileSystem.Death.allCases)
    func `whatever step a process dies at, metadata is that of the bytes`(
        death: FaultyFileSystem.Death
    ) throws {
        var lived = 0
        for steps in 0..<60 {
            let folder = try TemporaryDirectory()
            let files = FaultyFileSystem()
            let store = open(folder.url.path, files: files)
            files.die(afterSteps: steps, death)
            // Each death ends in an error, which is no news here.
            try? work(store)
            lived += files.isDead ? 0 : 1
            let next = open(folder.url.path)
            try next.prepare()
            let contents = try next.contents(named: "a")
            let text = contents.map { String(decoding: $0.data, as: UTF8.self) }
            let found = contents?.metadata.map { String(decoding: $0.bytes, as: UTF8.self) }
            let allowed: [String?] = text.map { [$0, "\($0) again"] } ?? [nil]
            #expect(allowed.contains(found), "\(steps): \(text ?? "-") has \(found ?? "-")")
            if text != nil { #expect(next.absence(of: "a") == nil) }
            #expect(next.statistics.damaged == 0)
        }
        #expect(lived > 0)
    }

    private func work(_ store: DiskStore) throws {
        for number in 0..<4 {
            let metadata = try put("\(number)", metadata: "\(number)", in: store)
            try describe("\(number) again", metadata, in: store)
            if number == 1 { try store.remove("a", noting: gone()) }
        }
    }
}
