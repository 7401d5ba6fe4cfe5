import Synchronization
import Testing

@testable import KingfisherServer

@Suite(.timeLimit(.minutes(1)))
struct AdmissionTests {
    private static let limits = Admission.Limits(places: 8, bytes: 400, bytesOfSource: 100)

    @Test("As many requests are admitted as there are places")
    func full() async throws {
        let admission = Admission(.init(places: 1, bytes: 100, bytesOfSource: 100))
        _ = try await admission.admitted("a") { _ in
            await #expect(throws: Admission.Full.self) {
                try await admission.admitted("b") { _ in }
            }
        }
        #expect(try await admission.admitted("b") { _ in 2 } == 2)
        #expect(admission.count == 0)
    }

    @Test("A request waits until the others hold few bytes, and before younger ones")
    func bytes() async throws {
        let admission = Admission(Self.limits)
        let requests = await Request.begun(["0", "1", "2", "3"], of: admission)
        let waiting = Request("4", sources: 2, of: admission)
        while admission.waiting < 1 { try await pause() }
        let younger = Request("5", of: admission)
        while admission.waiting < 2 { try await pause() }
        requests[0].load(30)
        requests[1].load(40)
        // 270 bytes are held: one source would fit, the two of the older request do not.
        #expect(admission.waiting == 2)
        requests[2].end()
        try await requests[2].task.value
        await waiting.begun()
        #expect(admission.waiting == 1)
        for request in [requests[0], requests[1], requests[3]] { request.end() }
        await younger.begun()
        for request in [waiting, younger] { request.end() }
        for request in requests + [waiting, younger] { try await request.task.value }
        #expect(admission.count == 0)
    }

    @Test("A source that is larger than all of them may be is loaded alone")
    func large() async throws {
        let admission = Admission(.init(places: 8, bytes: 50, bytesOfSource: 100))
        let request = await Request.begun(["a"], of: admission)[0]
        let other = Request("b", of: admission)
        while admission.waiting < 1 { try await pause() }
        request.load(1)
        #expect(admission.waiting == 1)
        request.end()
        await other.begun()
        other.end()
        try await other.task.value
    }

    @Test("A host that never answers leaves places for others")
    func slowHost() async throws {
        let admission = Admission(Self.limits)
        let loading = await Request.begun(["slow", "slow"], of: admission)
        var slow: [Request] = []
        for number in 1...6 {
            slow.append(Request("slow", of: admission))
            while admission.waiting < number { try await pause() }
        }
        await #expect(throws: Admission.Full.self) {
            try await admission.admitted("slow") { _ in }
        }
        // The newest ones make room, until both hosts have as many.
        let others = await Request.begun(["other", "other"], of: admission)
        for request in slow.suffix(2) {
            await #expect(throws: Admission.Displaced.self) { try await request.task.value }
        }
        #expect(admission.waiting == 4)
        #expect(admission.count == 8)
        for request in others + loading { request.end() }
        for request in slow.prefix(2) { await request.begun() }
        for request in slow.prefix(4) { request.end() }
        for request in slow.prefix(4) + others + loading { try await request.task.value }
        #expect(admission.count == 0)
    }

    @Test("A host that loads nothing is next, before older requests of busy ones")
    func fairness() async throws {
        let admission = Admission(Self.limits)
        let loading = await Request.begun(["slow", "slow", "slower", "slower"], of: admission)
        var waiting: [Request] = []
        for (number, host) in ["slow", "slower", "quick"].enumerated() {
            waiting.append(Request(host, of: admission))
            while admission.waiting <= number { try await pause() }
        }
        loading[0].end()
        await waiting[2].begun()
        #expect(admission.waiting == 2)
        for request in [loading[1], loading[2]] { request.end() }
        for request in waiting[..<2] { await request.begun() }
        for request in waiting + [loading[3]] { request.end() }
        for request in loading + waiting { try await request.task.value }
        #expect(admission.count == 0)
    }

    @Test("A request that is cancelled leaves its place, also while it waits")
    func cancelled() async throws {
        let admission = Admission(.init(places: 3, bytes: 100, bytesOfSource: 100))
        let first = await Request.begun(["a"], of: admission)[0]
        let second = Request("b", of: admission)
        while admission.waiting < 1 { try await pause() }
        let third = Request("c", of: admission)
        while admission.waiting < 2 { try await pause() }
        second.task.cancel()
        await #expect(throws: CancellationError.self) { try await second.task.value }
        #expect(admission.count == 2)
        first.task.cancel()
        await third.begun()
        third.end()
        try await third.task.value
        #expect(admission.count == 0)
    }
}

/// A request whose steps a test decides.
private final class Request: Sendable {
    let task: Task<Void, any Error>
    private let loading = Mutex<Admission.Loading?>(nil)
    private let starts: AsyncStream<Admission.Loading>
    private let ending: AsyncStream<Void>.Continuation

    /// Makes a request that may have to wait.
    init(_ host: String, sources: Int = 1, of admission: Admission) {
        let (starts, started) = AsyncStream<Admission.Loading>.makeStream()
        let (ends, ending) = AsyncStream<Void>.makeStream()
        (self.starts, self.ending) = (starts, ending)
        task = Task {
            try await admission.admitted(host, sources: sources) { loading in
                started.yield(loading)
                for await _ in ends { break }
            }
        }
    }

    /// Makes requests that may load at once.
    static func begun(_ hosts: [String], of admission: Admission) async -> [Request] {
        var requests: [Request] = []
        for host in hosts {
            let request = Request(host, of: admission)
            await request.begun()
            requests.append(request)
        }
        return requests
    }

    /// Waits until the request may load.
    func begun() async {
        for await loading in starts {
            self.loading.withLock { $0 = loading }
            return
        }
    }

    func load(_ size: Int) { loading.withLock { $0?.loaded(size) } }

    func end() { ending.yield() }
}
