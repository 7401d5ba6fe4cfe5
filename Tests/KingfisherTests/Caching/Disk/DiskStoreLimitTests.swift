import Foundation
import KingfisherTesting
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// Each limit of a store, filled with what costs least.
struct DiskStoreLimitTests {
    private let clock = ManualClock()
    private let folder: TemporaryDirectory
    private let files = FaultyFileSystem()

    init() throws { folder = try TemporaryDirectory() }

    private var path: String { folder.file("cache").path }

    private func open(logLimit: Int = LogReader.maximalSize) -> DiskStore {
        let options = DiskStore.Options(logLimit: logLimit)
        return DiskStore(directory: path, files: files, clock: clock.clock, options: options)
    }

    private func put(_ data: Data, _ number: Int, in store: DiskStore, metadata: Data? = nil) throws
    {
        let key = "https://example.com/\(number).gif"
        try store.store(
            data,
            named: KeyDigest().text(of: key),
            key: key,
            expiration: .days(1),
            metadata: metadata.map { EntryMetadata($0, encoded: $0) }
        )
    }

    /// The bytes of all files in the folder and of its list of names.
    private func bytesInFolder() throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        let log = try POSIXFileSystem().status(of: path + "/.kingfisher.log").size
        return try bytesOfFiles(in: path) + log + names.reduce(0) { $0 + 24 + $1.utf8.count }
    }

    // The log may have as much garbage as content, and 64 KiB are not counted.
    private func isWithin(_ limit: Int) throws -> Bool {
        try bytesInFolder() <= 2 * limit + 3 * 65_536
    }

    @Test(arguments: [true, false])
    func `DSK-29: names count with their records, so that the limit holds for tiny files`(
        areEqual: Bool
    ) throws {
        let store = open()
        store.sizeLimit = 100_000
        for number in 0..<3_000 {
            let data = areEqual ? Data(count: 88) : Data("\(number)".utf8)
            try put(data, number, in: store)
            #expect(store.totalSize <= 100_000)
        }
        #expect(try isWithin(100_000))
        #expect(store.statistics.count < 1_000)
        #expect(open().totalSize == store.totalSize)
    }

    @Test func `metadata counts`() throws {
        let store = open()
        store.sizeLimit = 100_000
        for number in 0..<40 {
            try put(Data("\(number)".utf8), number, in: store, metadata: Data(count: 16_000))
            #expect(store.totalSize <= 100_000)
        }
        #expect(try isWithin(100_000))
    }

    @Test func `a small cache has the size of its files`() throws {
        let store = open()
        for number in 0..<100 { try put(Data(count: 7), number, in: store) }
        #expect(store.totalSize == 7)
    }

    @Test func `records of missing images take half a megabyte at most, however large they are`()
        throws
    {
        let store = open()
        for number in 0..<100 {
            let absence = DiskAbsence(
                expiry: clock.now + Double(number + 1),
                metadata: Data(count: 16_000)
            )
            try store.remove("n\(number)", noting: absence)
        }
        #expect(try bytesInFolder() <= 2 * 524_288 + 65_536)
        // Those that last longest are kept.
        #expect(store.absence(of: "n0") == nil)
        #expect(store.absence(of: "n99") != nil)
    }

    @Test func `the log never passes the size above which it is not read`() throws {
        let store = open(logLimit: 200_000)
        for number in 0..<3_000 { try put(Data(count: 88), number, in: store) }
        let log = try POSIXFileSystem().status(of: path + "/.kingfisher.log").size
        #expect(log <= 200_000)
        let next = open(logLimit: 200_000)
        #expect(next.statistics.rebuilds == 0)
        #expect(next.entries.map(\.name) == store.entries.map(\.name))
        #expect(next.entries.count > 100)
    }

    @Test func `a log above its limit is made again from the files, shared names included`() throws
    {
        var store: DiskStore? = open()
        for number in 0..<300 { try put(Data(count: 88), number, in: try #require(store)) }
        store = nil
        let next = open(logLimit: 10_000)
        #expect(next.statistics.rebuilds == 1)
        #expect(next.statistics.adopted == 300)
        #expect(next.statistics.damaged == 0)
    }

    // MARK: Full disks

    /// A disk with room for some bytes of entries, and none for the log while it is full.
    private func limitDisk(to room: Int) {
        let path = path
        files.fail { operation, _ in
            switch operation {
            case .write, .append:
                let used = (try? bytesOfFiles(in: path)) ?? 0
                return used >= room ? .noSpace : nil
            default: return nil
            }
        }
    }

    @Test func `DSK-33: a full disk loses the least recently used tenth, and stores the new entry`()
        throws
    {
        let store = open()
        for number in 0..<20 {
            try put(Data(repeating: UInt8(number), count: 100), number, in: store)
        }
        limitDisk(to: 2_000)
        try put(Data(repeating: 20, count: 100), 20, in: store)
        #expect(store.statistics.count == 19)
        #expect(store.statistics.displaced == 2)
        #expect(store.statistics.trimmed == 0)
        for number in 21..<60 {
            try put(Data(repeating: UInt8(number), count: 100), number, in: store)
        }
        files.fail(with: nil)
        let kept = open().entries.map(\.key)
        #expect(kept.last == "https://example.com/59.gif")
        #expect(kept.count >= 18)
        #expect(try bytesOfFiles(in: path) == store.totalSize)
    }

    @Test func `a disk that stays full reports it, and keeps the entry to be replaced`() throws {
        let store = open()
        try put(Data("old".utf8), 0, in: store)
        files.fail { operation, _ in operation == .write ? .noSpace : nil }
        #expect(throws: DiskError.self) { try put(Data("new".utf8), 0, in: store) }
        files.fail(with: nil)
        #expect(try store.data(named: KeyDigest().text(of: "https://example.com/0.gif")) != nil)
    }

    @Test func `other errors of a write remove nothing`() throws {
        let store = open()
        for number in 0..<20 { try put(Data("\(number)".utf8), number, in: store) }
        files.fail { operation, _ in operation == .write ? .ioError : nil }
        #expect(throws: DiskError.self) { try put(Data("new".utf8), 20, in: store) }
        #expect(store.statistics.count == 20)
    }
}
