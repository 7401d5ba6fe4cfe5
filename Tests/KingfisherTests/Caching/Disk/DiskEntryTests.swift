import Foundation
import Testing

@testable import Kingfisher

/// No property of an entry is lost in the index, in the log, or in the proof of a file.
struct DiskEntryTests {
    private let entry = DiskEntry(
        name: "a",
        key: "k@l",
        size: 3,
        checksum: 4,
        modified: 5,
        access: 6,
        expiry: 7,
        lifetime: 8,
        metadata: LogPlace(start: 9, count: 10),
        division: KeyDivision(offset: 11)
    )
    /// Another file of the same name and key.
    private let other = DiskEntry(
        name: "a",
        key: "k@l",
        size: 0,
        checksum: 0,
        modified: 0,
        access: 0,
        expiry: 0,
        lifetime: 0,
        metadata: LogPlace(),
        division: .atFirst
    )

    /// The properties whose values differ.
    private func differences(_ one: DiskEntry, _ two: DiskEntry) -> Set<String> {
        let pairs = zip(Mirror(reflecting: one).children, Mirror(reflecting: two).children)
        return Set(pairs.filter { "\($0.value)" != "\($1.value)" }.compactMap(\.0.label))
    }

    @Test func `every property has a value here that it would not have if it were lost`() {
        let names = Set(Mirror(reflecting: entry).children.compactMap(\.label))
        #expect(differences(entry, other) == names.subtracting(["name", "key"]))
    }

    @Test func `the index gives back a new, a replaced and a changed entry`() {
        var index = DiskIndex()
        index.put(entry)
        #expect(Array(index.entries) == [entry])
        index.put(other)
        #expect(Array(index.entries) == [other])
        index.put(entry)
        #expect(Array(index.entries) == [entry])
        index.put(other)
        index.use(entry.name, unwritten: .nothing) { found in
            found = entry
            return true
        }
        #expect(Array(index.entries) == [entry])
    }

    @Test func `the log gives back all but the place of the metadata, which it finds`() throws {
        let bytes = LogRecord.encode([.stored(entry, temporary: 12)])
        let record = bytes.withUnsafeBytes {
            LogRecord(body: UnsafeRawBufferPointer(rebasing: $0[LogRecord.prefixSize...]))
        }
        guard case .stored(let read, 12, _)? = record else {
            Issue.record("\(String(describing: record))")
            return
        }
        #expect(differences(read, entry) == ["metadata"])
    }

    /// A property that is lost without the log is in `FileProof`, or in this list on purpose.
    @Test func `the proof of a file gives back all but its last access and the metadata`() throws {
        let bytes = FileProof(entry).bytes(for: entry.name)
        let proof = try #require(FileProof(bytes, name: entry.name))
        let status = FileStatus(size: 3, modified: 5, inode: 1, device: 1, links: 1)
        let found = proof.entry(entry.name, key: entry.key, status, at: entry.access)
        #expect(differences(found, entry) == ["access", "metadata"])
    }
}
