import Testing

@testable import Kingfisher

@MainActor
@Suite
struct SideTableTests {
    final class Thing {}

    @Test func `a value belongs to one object`() {
        let table = SideTable<Int>()
        let (first, second) = (Thing(), Thing())
        table[first] = 1
        #expect(table[first] == 1)
        #expect(table[second] == nil)
        table[first] = nil
        #expect(table[first] == nil)
        #expect(table.count == 0)
    }

    @Test func `a value is made once`() {
        let table = SideTable<Int>()
        let thing = Thing()
        #expect(table.value(of: thing) { 1 } == 1)
        #expect(table.value(of: thing) { 2 } == 1)
    }

    @Test func `W-50: a new object at an old address inherits nothing`() {
        let table = SideTable<Int>()
        var seen: Set<ObjectIdentifier> = []
        var wasReused = false
        // The allocator reuses the same block, so a few rounds suffice.
        for _ in 0..<1_000 where !wasReused {
            let thing = Thing()
            #expect(table[thing] == nil)
            wasReused = !seen.insert(ObjectIdentifier(thing)).inserted
            table[thing] = 1
        }
        #expect(wasReused)
    }

    @Test func `the values of dead objects are freed`() {
        let table = SideTable<Thing>()
        let living = Thing()
        table[living] = Thing()
        weak var last: Thing?
        for _ in 0..<1_000 {
            let (thing, value) = (Thing(), Thing())
            last = value
            table[thing] = value
            #expect(table.count <= 32)
        }
        table.sweep()
        #expect(table.count == 1)
        #expect(last == nil)
        #expect(table[living] != nil)
    }

    @Test func `a value may use the table as it ends`() {
        let table = SideTable<EndingObject>()
        func value() -> EndingObject {
            EndingObject { MainActor.assumeIsolated { #expect(table.count < 2) } }
        }
        do {
            let thing = Thing()
            table[thing] = value()
            table[thing] = value()
            table[thing] = nil
            table[thing] = value()
        }
        table.sweep()
        #expect(table.count == 0)
    }
}
