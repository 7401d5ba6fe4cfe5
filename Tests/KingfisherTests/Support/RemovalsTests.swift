import Testing

@testable @_spi(Server) import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct RemovalsTests {
    private let removals = Removals()

    @Test func `a removal counts for the work before it, and for its key alone`() {
        let (before, other) = (removals.mark("a"), removals.mark("b"))
        #expect(before.epoch == 0)
        removals.note("a")
        let after = removals.mark("a")
        #expect(before.isRemoved && !other.isRemoved && !after.isRemoved)
        #expect(after.epoch != 0 && after.epoch == removals.mark("a").epoch)
        removals.noteAll()
        #expect(other.isRemoved && after.isRemoved)
    }

    @Test func `the epochs of two tables differ`() {
        let others = Removals()
        removals.note("a")
        others.note("a")
        #expect(removals.mark("a").epoch != others.mark("a").epoch)
    }

    @Test func `a store during a removal has to be undone, and none is made after it`() {
        let mark = removals.mark("a")
        #expect(mark.store {} == .made)
        // As an object that the store releases may do.
        #expect(mark.store { removals.note("a") } == .overtaken)
        var isCalled = false
        #expect(mark.store { isCalled = true } == .refused)
        #expect(!isCalled)
    }
}
