import Testing

@testable import Kingfisher

struct DelegateTests {
    final class Target {}

    @Test func `CBQ-3: the target is held weakly`() {
        let delegate = Delegate<Int, Int>()
        var target: Target? = Target()
        if let target {
            delegate.delegate(on: target) { (_: Target, value: Int) -> Int in value + 1 }
        }
        #expect(delegate.call(1) == 2)
        target = nil
        #expect(delegate.call(1) == nil)
    }

    @Test func `CBQ-3: the synchronous and asynchronous closures are separate`() async {
        let target = Target()
        let sync = Delegate<Int, Int>()
        sync.delegate(on: target) { (_: Target, value: Int) -> Int in value + 1 }
        let missing = await sync.callAsync(1)
        #expect(missing == nil)
        let async = Delegate<Int, Int>()
        async.delegate(on: target) { (_: Target, value: Int) async -> Int in value + 2 }
        #expect(async.call(1) == nil)
        let result = await async.callAsync(1)
        #expect(result == 3)
        #expect(async.isSet)
    }

    @Test func `an optional result is flattened`() {
        let target = Target()
        let delegate = Delegate<Int, Int?>()
        let unset: Int? = delegate.call(1)
        #expect(unset == nil)
        delegate.delegate(on: target) { (_: Target, value: Int) -> Int? in value }
        let result: Int? = delegate(4)
        #expect(result == 4)
    }

    @Test func `a replaced closure may hold an object that uses the delegate as it ends`() {
        final class Owner {
            let delegate: Delegate<Int, Int>
            init(_ delegate: Delegate<Int, Int>) { self.delegate = delegate }
            deinit { #expect(delegate.isSet) }
        }
        let target = Target()
        let delegate = Delegate<Int, Int>()
        do {
            let owner = Owner(delegate)
            delegate.delegate(on: target) { (_: Target, value: Int) -> Int in
                withExtendedLifetime(owner) { value }
            }
        }
        delegate.delegate(on: target) { (_: Target, value: Int) -> Int in value + 1 }
        #expect(delegate.call(1) == 2)
    }
}
