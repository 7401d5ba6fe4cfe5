import Testing

@testable @_spi(Server) import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct RemovalsTests {
    @Test func `a removal ends the work so far, and that of its key alone`() {
        let removals = Removals()
        let (before, other) = (removals.watch("a"), removals.watch("b"))
        removals.note("a")
        let after = removals.watch("a")
        #expect(before.isRemoved && !before.unlessRemoved {})
        #expect(!other.isRemoved && !after.isRemoved)
        #expect(after.epoch != before.epoch && removals.watch("a") === after)
        removals.noteAll()
        #expect(other.isRemoved && after.isRemoved)
    }

    @Test func `what is released by a store may remove the entry`() {
        let removals = Removals()
        let watch = removals.watch("a")
        #expect(watch.unlessRemoved { removals.note("a") })
        #expect(watch.isRemoved)
    }
}
