import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Until when an entry is read, and what a read leaves alone of one that changes meanwhile.
struct DiskStoreReadingTests {
    private let clock = ManualClock()
    private let files = FaultyFileSystem()
    private let folder: TemporaryDirectory
    private let store: DiskStore

    init() throws {
        folder = try TemporaryDirectory()
        let path = folder.file("cache").path
        store = DiskStore(directory: path, files: files, clock: clock.clock)
    }

    private func put(expiration: StorageExpiration) throws {
        try store.store(Data("a".utf8), named: "a", key: "a", expiration: expiration)
    }

    @Test func `a read does not extend an entry whose file equal bytes replace meanwhile`() throws {
        store.sharesFiles = false
        try put(expiration: .seconds(60))
        files.fail { operation, _ in
            guard operation == .read else { return nil }
            files.fail(with: nil)
            #expect(throws: Never.self) { try put(expiration: .seconds(1_000)) }
            return nil
        }
        #expect(try store.data(named: "a", extending: .expirationTime(.seconds(5))) != nil)
        clock.advance(by: 900)
        #expect(store.contains("a"))
    }

    @Test func `an entry of another division that replaces the file meanwhile is a miss`() throws {
        store.sharesFiles = false
        try put(expiration: .never)
        let reads = Locked(0)
        files.fail { operation, path in
            guard operation == .read, path.hasSuffix("/a") else { return nil }
            reads.change { $0 += 1 }
            // Before the second read the index has been followed.
            guard reads.value <= 2 else { return nil }
            let division: KeyDivision = reads.value == 2 ? KeyDivision(offset: 1) : .atFirst
            #expect(throws: Never.self) {
                try store.store(
                    Data("\(reads.value)".utf8),
                    named: "a",
                    key: "a",
                    division: division,
                    expiration: .never
                )
            }
            return nil
        }
        #expect(try store.contents(named: "a", .atFirst) == nil)
        #expect(try store.contents(named: "a", KeyDivision(offset: 1))?.data == Data("2".utf8))
    }

    @Test func `an entry is a miss from the moment on at which it expires`() throws {
        try put(expiration: .seconds(60))
        clock.advance(by: 59.5)
        #expect(store.contains("a"))
        #expect(try store.data(named: "a", extending: .none) != nil)
        clock.advance(by: 0.5)
        #expect(!store.contains("a"))
        #expect(try store.data(named: "a", extending: .none) == nil)
        #expect(store.statistics.staleReads == 1)
    }
}
