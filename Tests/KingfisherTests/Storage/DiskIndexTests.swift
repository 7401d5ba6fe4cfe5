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
        #expect(index.nodes.count == 3)
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

    @Test func `what the log lacks is told once, in the order of use`() {
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
}
