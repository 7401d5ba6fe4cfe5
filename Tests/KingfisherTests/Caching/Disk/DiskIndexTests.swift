import TestSupport
import Testing

@testable import Kingfisher

struct DiskIndexTests {
    private func names(_ index: DiskIndex) -> [String] { index.entries.map(\.name) }

    private func index(_ names: [String]) -> DiskIndex {
        var index = DiskIndex()
        for name in names { index.put(.make(name)) }
        return index
    }

    @Test func `entries are in the order of their use`() {
        var index = index(["a", "b", "c"])
        index.use("a", unwritten: .access) { entry in
            entry.access = 30
            return true
        }
        #expect(names(index) == ["b", "c", "a"])
        index.put(.make("b"))
        #expect(names(index) == ["c", "a", "b"])
        index.remove("a")
        index.remove("nobody")
        #expect(names(index) == ["c", "b"])
        index.put(.make("d"))
        #expect(names(index) == ["c", "b", "d"])
        #expect(index.capacity == 3)
    }

    @Test func `a thousand files are found by their checksums while others are removed`() {
        var index = DiskIndex()
        index.reserve(logSize: 2_000)
        for number in 0..<1_000 {
            index.put(.make("n\(number)", checksum: UInt64(number)))
        }
        for number in stride(from: 0, to: 1_000, by: 3) { index.remove("n\(number)") }
        for number in 0..<1_000 {
            let name = index.name(withChecksum: UInt64(number), size: 3)
            #expect(name == (number % 3 == 0 ? nil : "n\(number)"))
        }
        #expect(index.name(withChecksum: 1, size: 4) == nil)
    }

    @Test func `entries of one file count once, and its last name frees it`() {
        var (one, two) = (DiskEntry.make("a"), DiskEntry.make("b"))
        (one.modified, two.modified) = (7, 7)
        var index = DiskIndex()
        index.put(one)
        index.put(two)
        #expect(index.totalSize == 3)
        index.put(.make("c"))
        #expect(index.totalSize == 6)
        #expect(index.oldestNames(downTo: 3, sparing: nil, atMost: 9) == ["a", "b"])
        index.remove("a")
        #expect(index.totalSize == 6)
        index.remove("b")
        #expect(index.totalSize == 3)
        index.remove("c")
        #expect(index.totalSize == 0)
    }

    @Test func `sums follow every change`() {
        var index = index(["a", "b"])
        index.use("a", unwritten: .nothing) { entry in
            entry.size = 10
            return true
        }
        #expect(index.totalSize == 13)
        index.put(.make("b", key: "key"))
        #expect(index.totalSize == 13)
        #expect(index.liveLogSize == 2 * LogRecord.size(of: .make("a")) + 3)
        for name in ["a", "b"] { index.remove(name) }
        #expect(index.totalSize == 0)
        #expect(index.liveLogSize == 0)
        #expect(index.count == 0)
    }

    @Test func `an entry that turns out to be another one is left alone`() {
        var index = index(["a", "b"])
        index.use("a", unwritten: .access) { _ in false }
        #expect(names(index) == ["a", "b"])
        #expect(index.takeUnwritten() == [])
    }

    @Test func `what the log lacks is reported once, in the order of use`() {
        var index = index(["a", "b", "c", "d"])
        index.use("b", unwritten: .access) { entry in
            entry.access = 50
            return true
        }
        index.use("a", unwritten: .access) { entry in
            entry.access = 60
            return true
        }
        index.use("b", unwritten: .access) { entry in
            entry.access = 60
            return true
        }
        index.use("c", unwritten: .everything) { entry in
            entry.access = 55
            return true
        }
        index.use("d", unwritten: .access) { entry in
            entry.access = 70
            return true
        }
        index.remove("d")
        var changed = DiskEntry.make("c")
        changed.access = 55
        let expected: [LogRecord] = [
            .used("a", access: 60, expiry: 20, lifetime: 10),
            .used("b", access: 60, expiry: 20, lifetime: 10),
            .stored(changed, temporary: 0),
        ]
        let first = index.takeUnwritten()
        let second = index.takeUnwritten()
        #expect(first == expected)
        #expect(second == [])
    }

    @Test func `entries without a file go`() {
        var index = index(["a", "b", "c"])
        let isKnown = index.confirm("b")
        let isStrangerKnown = index.confirm("stranger")
        #expect(isKnown)
        #expect(!isStrangerKnown)
        index.removeUnconfirmed()
        #expect(names(index) == ["b"])
        index.removeUnconfirmed()
        #expect(names(index) == [])
    }

    // MARK: Texts

    private static let digest = String(repeating: "0123456789abcdef", count: 4)

    @Test(
        arguments: [
            "a", digest, digest + ".jpg", digest.uppercased(), String(digest.dropLast()),
            digest.dropLast() + "g", "ä.png", String(repeating: "n", count: 255),
        ]
    )
    func `names and keys come back as they were`(name: String) {
        var index = index(["other"])
        index.put(.make(name, key: "https://example.com/ä?w=1@processor"))
        #expect(index[name] == .make(name, key: "https://example.com/ä?w=1@processor"))
        #expect(names(index) == ["other", name])
        #expect(index["other"]?.key == "")
        #expect(index[name + "x"] == nil)
        #expect(index.liveLogSize == index.entries.reduce(0) { $0 + LogRecord.size(of: $1) })
        let removed = index.remove(name)
        #expect(removed?.name == name)
        #expect(index[name] == nil)
    }

    @Test func `bytes that are those of a digest are another name`() {
        var index = DiskIndex()
        let half = String(decoding: [UInt8](repeating: UInt8(ascii: "a"), count: 32), as: UTF8.self)
        let digest = String(repeating: "61", count: 32)
        index.put(.make(digest))
        #expect(index[half] == nil)
        index.put(.make(half, key: "key"))
        #expect(index[digest]?.key == "")
        #expect(index[half]?.key == "key")
    }

    @Test func `an entry that is stored again keeps its place, under another key too`() {
        var index = index(["a", "b", "c"])
        index.put(.make("a", checksum: 2), unwritten: .everything)
        #expect(names(index) == ["b", "c", "a"])
        #expect(index["a"]?.checksum == 2)
        #expect(index.unwrittenCount == 1)
        index.put(.make("a", key: "another"))
        #expect(index["a"]?.key == "another")
        #expect(index.unwrittenCount == 0)
        #expect(index.count == 3)
        #expect(index.capacity == 3)
    }

    @Test func `it is what a dictionary is, however much was removed`() {
        var random = SplitMix(seed: 4)
        var index = DiskIndex()
        var expected: [String: DiskEntry] = [:]
        let key = String(repeating: "k", count: 300)
        for step in 0..<20_000 {
            let name = "n\(Int.random(in: 0..<400, using: &random))"
            if Int.random(in: 0..<3, using: &random) == 0 {
                let removed = index.remove(name)
                #expect(removed == expected.removeValue(forKey: name))
            } else {
                var entry = DiskEntry.make(name, key: key + "\(step % 7)")
                entry.size = step
                index.put(entry)
                expected[name] = entry
            }
        }
        #expect(Dictionary(uniqueKeysWithValues: index.entries.map { ($0.name, $0) }) == expected)
        #expect(index.count == expected.count)
        // The names count with their places in the log and the folder, beyond 64 KiB.
        let names = expected.values.reduce(0) { $0 + LogRecord.size(of: $1) + 24 + $1.name.count }
        #expect(names > 65_536)
        #expect(
            index.totalSize == expected.values.reduce(0) { $0 + $1.size } + names - 65_536
        )
        #expect(index.liveLogSize == expected.values.reduce(0) { $0 + LogRecord.size(of: $1) })
        #expect(index.capacity <= 400)
    }
}
