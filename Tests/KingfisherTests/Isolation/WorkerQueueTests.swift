import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(Glibc)
import Glibc
#endif

@Suite(.timeLimit(.minutes(2)))
struct WorkerQueueTests {
    @Test(.enabled(if: WorkerBench.isPossible))
    func `a pool that found no free descriptor starts with a later request`() async {
        await #expect(processExitsWith: .success) {
            let pool = WorkerBench.pool()
            let request = try WorkerBench.request(TestImage.png())
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let usual = limit.rlim_cur
            limit.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let failure = Result { () throws(WorkerFailure) in try pool.waitForAnswer(to: request) }
            limit.rlim_cur = usual
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard case .failure(.cannotStart) = failure else { fatalError("\(failure)") }
            _ = try pool.waitForAnswer(to: request)
            pool.stop()
        }
    }

    @Test func `each request wakes a lane, and the end wakes all`() async throws {
        let queue = try WorkerQueue(laneCount: 3)
        let jobs = Locked(0)
        let ends = Locked(0)
        for lane in 0..<3 {
            Thread.detachNewThread {
                while case .job(let job) = queue.next(for: lane, orEndOf: nil, rest: .zero) {
                    jobs.change { $0 += 1 }
                    job.finish(.failure(.cancelled))
                    queue.finish(lane)
                }
                ends.change { $0 += 1 }
            }
        }
        let request = try WorkerBench.request(Data("file".utf8))
        for _ in 0..<300 { _ = queue.submit(WorkerJob(request) { _ in }, priority: 0.5) }
        await WorkerBench.wait { jobs.value == 300 }
        queue.stop()
        await WorkerBench.wait { ends.value == 3 }
        let late = Locked(false)
        _ = queue.submit(
            WorkerJob(request) { if case .failure(.stopped) = $0 { late.change { $0 = true } } },
            priority: 0.5
        )
        #expect(late.value)
    }

    @Test func `a lane without a worker is woken only if no other is idle`() async throws {
        let queue = try WorkerQueue(laneCount: 2)
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
        let woken = Locked<[Int]>([])
        let ends = Locked(0)
        for (lane, socket) in [(0, pair[0]), (1, nil)] as [(Int, Int32?)] {
            Thread.detachNewThread {
                while case .job(let job) = queue.next(
                    for: lane,
                    orEndOf: socket,
                    rest: .seconds(60)
                ) {
                    woken.change { $0.append(lane) }
                    job.finish(.failure(.cancelled))
                    queue.finish(lane)
                }
                ends.change { $0 += 1 }
            }
            await WorkerBench.wait { queue.idleLanes.contains(lane) }
        }
        let request = try WorkerBench.request(Data("file".utf8))
        for count in 1...3 {
            _ = queue.submit(WorkerJob(request) { _ in }, priority: 0.5)
            await WorkerBench.wait { woken.value.count == count && queue.idleLanes.count == 2 }
        }
        #expect(woken.value == [0, 0, 0])
        queue.stop()
        await WorkerBench.wait { ends.value == 2 }
        for descriptor in pair { close(descriptor) }
    }

    @Test func `a lane notices that its worker has rested or ended, and gets requests`() throws {
        let queue = try WorkerQueue(laneCount: 1)
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &pair) == 0)
        guard case .rested = queue.next(for: 0, orEndOf: pair[0], rest: .zero) else {
            Issue.record("the rest was not noticed")
            return
        }
        close(pair[1])
        guard case .workerEnded = queue.next(for: 0, orEndOf: pair[0], rest: .seconds(60)) else {
            Issue.record("the end was not noticed")
            return
        }
        close(pair[0])
        let request = try WorkerBench.request(Data("file".utf8))
        let job = WorkerJob(request) { _ in }
        _ = queue.submit(job, priority: 0.5)
        guard case .job(let next) = queue.next(for: 0, orEndOf: nil, rest: .zero) else {
            Issue.record("the request was lost")
            return
        }
        next.finish(.failure(.cancelled))
        queue.stop()
    }
}
