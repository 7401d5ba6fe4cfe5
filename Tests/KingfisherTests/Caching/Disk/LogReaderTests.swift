import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct LogReaderTests {
    private let records: [LogRecord] = [
        .stored(.make("a", key: "https://example.com/ä", checksum: 7), temporary: 0),
        .stored(.make("b", checksum: 0), temporary: 0),
        .used("a", access: 5, expiry: .infinity, lifetime: 9),
        .removed("b"),
        .cleared,
        .booted,
        .stored(.make("d", key: "k"), temporary: 0, metadata: Data("d's".utf8)),
        .described("d", checksum: 1, metadata: Data("d's own".utf8)),
        .described("d", checksum: .max, metadata: Data()),
        .absent("e", DiskAbsence(expiry: 30, metadata: Data("gone".utf8))),
        .stored(Self.divided("f", 4), temporary: 0),
        .stored(Self.divided("g", .max), temporary: 5, metadata: Data("g's".utf8)),
        .stored(.make("c", checksum: .max), temporary: 0xFFFF_FFFF_FFFF),
    ]

    private static func divided(_ name: String, _ offset: UInt32) -> DiskEntry {
        var entry = DiskEntry.make(name, key: "a@b@c")
        entry.division = KeyDivision(offset: offset)
        return entry
    }

    private func log(_ records: [LogRecord]) -> Data {
        LogRecord.encode(records, after: LogRecord.header)
    }

    private func read(_ log: Data) -> (LogReader, [LogRecord]) {
        var reader = LogReader()
        var found: [LogRecord] = []
        reader.read(log) { record, _ in found.append(record) }
        return (reader, found)
    }

    @Test func `what was written is read`() {
        let (reader, found) = read(log(records))
        #expect(found == records)
        #expect(reader.end == log(records).count)
        #expect(reader.damagedBytes == 0)
    }

    /// The records above as caches of users have them: every layout, every kind.
    ///
    /// Made from the description of the format, not by this code. A change that needs other bytes
    /// breaks those caches: give it the next layout or kind, and append a record.
    private static let kept = """
        S0ZDQUNIRTHLS0xSVwAAACfkAl1CZq1uAQEDAAAAAAAAAAcAAAAAAAAAjnNWDjuxLf8AAAAAAAAkQAAAAAAAADRA
        AAAAAAAAJEAAAAAAAAAAAAEAFgAAAGFodHRwczovL2V4YW1wbGUuY29tL8Oky0tMUkEAAAD1ZHYkt8zuyQEBAwAA
        AAAAAAAAAAAAAAAAAF0M5V7Vuof/AAAAAAAAJEAAAAAAAAA0QAAAAAAAACRAAAAAAAAAAAABAAAAAABiy0tMUhoA
        AAA2RPw6oQFM5AMAAAAAAAAUQAAAAAAAAPB/AAAAAAAAIkBhy0tMUgIAAAA9mh9kIjyBewJiy0tMUgEAAAAyZ53W
        Ptq5ZATLS0xSAQAAAA+XQBOoFf9QBctLTFJFAAAANlzi68w9loYBAgMAAAAAAAAAAQAAAAAAAADogm8NJ/+v/wAA
        AAAAACRAAAAAAAAANEAAAAAAAAAkQAAAAAAAAAAAAQABAAAAZGtkJ3PLS0xSEwAAAGnZcSOw+lu3BgEAAAAAAAAA
        AQBkZCdzIG93bstLTFIMAAAAhVaMwbWtu4YG//////////8BAGTLS0xSEAAAAHmHlpVt0RrRBwAAAAAAAD5AAQBl
        Z29uZctLTFJKAAAAOXZBoP9LxqIBAwMAAAAAAAAAAQAAAAAAAAAO1Q+jRfIv/wAAAAAAACRAAAAAAAAANEAAAAAA
        AAAkQAAAAAAAAAAAAQAFAAAABAAAAGZhQGJAY8tLTFJNAAAASZuPLDNnznUBAwMAAAAAAAAAAQAAAAAAAADW0R77
        7Qv8/wAAAAAAACRAAAAAAAAANEAAAAAAAAAkQAUAAAAAAAAAAQAFAAAA/////2dhQGJAY2cnc8tLTFJBAAAAJkKD
        YFRzwjEBAQMAAAAAAAAA//////////+l+Tu7LiVc/wAAAAAAACRAAAAAAAAANEAAAAAAAAAkQP///////wAAAQAA
        AAAAYw==
        """

    @Test func `logs of earlier versions are read, and written as they were`() throws {
        let kept = try #require(
            Data(base64Encoded: Self.kept, options: .ignoreUnknownCharacters)
        )
        #expect(read(kept).1 == records)
        #expect(log(records) == kept)
    }

    @Test func `the kept bytes have every kind of record, and every layout`() throws {
        let kept = [UInt8](
            try #require(Data(base64Encoded: Self.kept, options: .ignoreUnknownCharacters))
        )
        var (kinds, layouts): (Set<UInt8>, Set<UInt8>) = ([], [])
        var reader = LogReader()
        reader.read(Data(kept)) { _, start in
            let body = kept[(start + LogRecord.prefixSize)...]
            kinds.insert(body[body.startIndex])
            if body.first == LogRecord.Kind.stored.rawValue {
                layouts.insert(body[body.startIndex + 1])
            }
        }
        #expect(kinds == Set(LogRecord.Kind.allCases.map(\.rawValue)))
        #expect(layouts == Set(LogRecord.Layout.allCases.map(\.rawValue)))
    }

    @Test func `the size of a record is known beforehand`() {
        for entry in [DiskEntry.make("name", key: "key"), Self.divided("name", 3)] {
            let size = log([.stored(entry, temporary: 1)]).count - LogRecord.header.count
            #expect(LogRecord.size(of: entry) == size)
        }
    }

    @Test(arguments: [0, 10, 3 << 20])
    func `a log that is read in parts gives the same records, damaged or not`(damage: Int) {
        let key = String(repeating: "k", count: 60_000)
        var log = log((0..<150).map { .stored(.make("n\($0)", key: key), temporary: 0) })
        if damage > 0 {
            let start = 2 << 20
            log.replaceSubrange(start..<(start + damage), with: Data(count: damage))
        }
        let (whole, expected) = read(log)
        for window in [(2 << 20) + 32, 3_000_000, log.count - 1] {
            var reader = LogReader()
            var found: [LogRecord] = []
            var isLast = false
            while !isLast {
                let end = min(reader.position + window, log.count)
                isLast = end == log.count
                let start = reader.position
                reader.read(log[start..<end], isLast: isLast) { record, place in
                    #expect(place >= start)
                    found.append(record)
                }
            }
            #expect(found == expected)
            #expect(reader.end == whole.end)
            #expect(reader.damagedBytes == whole.damagedBytes)
            #expect(reader.position == log.count)
        }
    }

    @Test func `a log cut anywhere gives the records before the cut`() {
        let whole = log(records)
        let ends = records.indices.map { log(Array(records[...$0])).count }
        for count in 0..<whole.count {
            let (reader, found) = read(whole.prefix(count))
            let expected = ends.filter { $0 <= count }.count
            #expect(found == Array(records.prefix(expected)))
            #expect(reader.damagedBytes == 0)
        }
    }

    @Test func `a flipped bit costs one record and is noticed`() {
        let whole = log(records)
        for bit in stride(from: 0, to: whole.count * 8, by: 3) {
            var damaged = whole
            damaged[bit / 8] ^= 1 << (bit % 8)
            let (reader, found) = read(damaged)
            let isInHeader = bit / 8 < LogRecord.header.count
            #expect(found.count == records.count - (isInHeader ? 0 : 1))
            #expect(reader.damagedBytes > 0 || reader.end < damaged.count)
        }
    }

    @Test func `random bytes are no records and no crash`() {
        var random = SplitMix(seed: 1)
        for count in [1, 15, 16, 17, 1_000] {
            let noise = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            #expect(read(noise).1.isEmpty)
        }
        var hostile = log([])
        for length in [UInt32.max, 1 << 20, 3] {
            withUnsafeBytes(of: LogRecord.mark.littleEndian) { hostile.append(contentsOf: $0) }
            withUnsafeBytes(of: length.littleEndian) { hostile.append(contentsOf: $0) }
        }
        #expect(read(hostile).1.isEmpty)
    }

    @Test func `only the last announcement can be unfinished`() {
        let entry = DiskEntry.make("a")
        let store = LogRecord.stored(entry, temporary: 9)
        let touch = LogRecord.used("a", access: 1, expiry: 2, lifetime: 3)
        #expect(read(log([store])).0.unfinished == .store(entry, temporary: 9))
        #expect(read(log([store, touch])).0.unfinished == .store(entry, temporary: 9))
        #expect(read(log([store, .stored(entry, temporary: 0)])).0.unfinished == .nothing)
        let removals: [LogRecord] = [store, .removed("x"), touch, .removed("y")]
        #expect(read(log(removals)).0.unfinished == .removals(["x", "y"]))
        let absence = LogRecord.absent("z", DiskAbsence(expiry: 1, metadata: Data()))
        #expect(read(log(removals + [absence])).0.unfinished == .removals(["x", "y", "z"]))
        #expect(read(log(removals + [.cleared])).0.unfinished == .clearing)
        #expect(read(log(removals + [store])).0.unfinished == .store(entry, temporary: 9))
    }
}

extension DiskEntry {
    static func make(_ name: String, key: String = "", checksum: UInt64 = 1) -> DiskEntry {
        DiskEntry(
            name: name,
            key: key,
            size: 3,
            checksum: checksum,
            // Different for each name: entries with one file have the same.
            modified: -4 - Int64(Checksum.of(Data(name.utf8)) >> 8),
            access: 10,
            expiry: 20,
            lifetime: 10,
            metadata: LogPlace(),
            division: .atFirst
        )
    }
}
