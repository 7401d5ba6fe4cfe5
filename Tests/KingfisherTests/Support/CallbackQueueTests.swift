import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct CallbackQueueTests {
    @Test func `CBQ-1: untouch runs where the caller is`() {
        let ran = Locked(false)
        CallbackQueue.untouch.execute { ran.change { $0 = true } }
        let didRun = ran.value
        #expect(didRun)
    }

    @Test(.timeLimit(.minutes(1)))
    func `CBQ-1: a dispatch queue is always asynchronous, also from itself`() async {
        let queue = DispatchQueue(label: "test")
        let order = Locked<[Int]>([])
        let done = Gate()
        queue.async {
            CallbackQueue.dispatch(queue).execute {
                order.change { $0.append(2) }
                done.open()
            }
            order.change { $0.append(1) }
        }
        await done.wait()
        let seen = order.value
        #expect(seen == [1, 2])
    }

    @Test(.timeLimit(.minutes(1)))
    func `CBQ-1 CBQ-2: on the main queue mainCurrentOrAsync is direct`() async {
        let direct = Locked(false)
        let done = Gate()
        DispatchQueue.main.async {
            CallbackQueue.mainCurrentOrAsync.execute { direct.change { $0 = true } }
            done.open()
        }
        await done.wait()
        let wasDirect = direct.value
        #expect(wasDirect)
    }

    @Test(.timeLimit(.minutes(1)))
    func `CBQ-1: an operation queue gets an operation`() async {
        let queue = OperationQueue()
        let done = Gate()
        CallbackQueue.operationQueue(queue).execute { done.open() }
        await done.wait()
    }
}
