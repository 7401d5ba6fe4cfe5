import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@_spi(Programs) @testable import Kingfisher

#if canImport(Glibc)
import Glibc
#endif

/// Threads that the system refuses.
@Suite(.timeLimit(.minutes(2)))
struct ThreadStarterTests {
    private static let hint = "ulimit -u"

    @Test func `a thread runs under its name and releases its work`() async throws {
        let gone = Gate()
        let names = Locked<[String]>([])
        do {
            let canary = Canary { gone.open() }
            try ThreadStarter.system("a-name-of-more-than-15-bytes", stackBytes: 256 << 10) {
                let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                names.change { $0.append(name ?? "") }
                withExtendedLifetime(canary) {}
            }
        }
        await gone.wait()
        #expect(names.value == ["a-name-of-more-\n"])
    }

    /// The threads of sanitizers need more than the stack of this test.
    @Test(.enabled(if: WorkerBench.isPossible))
    func `threads have the stack they need, whatever the limit of stacks is`() async {
        await #expect(processExitsWith: .success) {
            // What new threads get by default where a program was started with a low limit.
            Stack.setDefaultSize(64 << 10)
            let ended = DispatchSemaphore(value: 0)
            try ThreadStarter.system("deep") {
                precondition(Stack.use(100 << 10) > 0)
                ended.signal()
            }
            // The threads of other libraries need more.
            Stack.setDefaultSize(8 << 20)
            ended.wait()
        }
    }

    private enum Stack {
        typealias SetDefault = @convention(c) (UnsafeMutablePointer<pthread_attr_t>) -> Int32

        static func setDefaultSize(_ bytes: Int) {
            withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { room in
                guard let symbol = dlsym(nil, "pthread_setattr_default_np"),
                    let attributes = room.baseAddress,
                    pthread_attr_init(attributes) == 0,
                    pthread_attr_setstacksize(attributes, bytes) == 0,
                    unsafeBitCast(symbol, to: SetDefault.self)(attributes) == 0
                else { fatalError("the default cannot be set") }
            }
        }

        /// Recurses until at least so many bytes of stack are in use.
        @inline(never)
        static func use(_ bytes: Int) -> Int {
            let room = InlineArray<128, Int>(repeating: bytes)
            return bytes < 0 ? room[3] : use(bytes - 1_024) + room[bytes & 127]
        }
    }

    @Test func `a stack that no memory can hold is refused, and the work is released`() {
        let isGone = Locked(false)
        do {
            let canary = Canary { isGone.change { $0 = true } }
            // More than any address space.
            #expect(throws: ThreadRefused.self) {
                try ThreadStarter.system("huge", stackBytes: 1 << 60) {
                    withExtendedLifetime(canary) {}
                }
            }
        }
        #expect(isGone.value)
    }

    @Test(arguments: 1...4)
    func `transfers fail while their thread is refused, and then succeed`(refused: Int) async throws
    {
        let server = try ImageServer()
        server.route("/a", .body(Data([1, 2, 3]), type: "image/png"))
        let threads = RefusingThreads { $0 <= refused }
        let transport = CurlTransport(configuration: .init(), threads: threads.starter)
        for _ in 0..<refused {
            let outcome = await transport.load(server.url("/a"))
            guard case .noThread(let reason, _)? = outcome.error else {
                Issue.record("it ended with \(String(describing: outcome.error))")
                return
            }
            #expect(reason.contains(Self.hint))
            #expect(outcome.error?.isTransient == true)
        }
        #expect(await transport.load(server.url("/a")).hasBody(Data([1, 2, 3])))
        #expect(await transport.load(server.url("/a")).error == nil)
        #expect(threads.startCount == refused + 1)
    }

    @Test func `every one of many transfers ends once while threads are refused`() async throws {
        let server = try ImageServer()
        server.route("/a", .body(Data([1]), type: "image/png"))
        let threads = RefusingThreads { $0 < 40 }
        let transport = CurlTransport(configuration: .init(), threads: threads.starter)
        let recorders = (0..<200).map { _ in TransferRecorder() }
        let url = server.url("/a")
        let failures = await withTaskGroup { group in
            for recorder in recorders {
                group.addTask { await transport.load(url, recorder: recorder).error != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures >= 39)
        #expect(failures < 200)
        #expect(recorders.allSatisfy { $0.finishCount == 1 })
    }

    @Test func `a load fails with the limits, and the next one succeeds`() async throws {
        let bench = try TestBench()
        let url = bench.serveJPEG("/a.jpg")
        let threads = RefusingThreads { $0 == 1 }
        let transport = CurlTransport(configuration: .init(), threads: threads.starter)
        let downloader = ImageDownloader(name: "refused", transport: transport)
        let manager = KingfisherManager(downloader: downloader, cache: bench.cache)
        let error = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: url)
        }
        #expect(error?.errorDescription?.contains(Self.hint) == true)
        #expect(try await manager.retrieveImage(with: url).image.pixelWidth == 64)
    }

    @Test(.enabled(if: WorkerBench.isPossible), arguments: 1...4)
    func `isolated decoding goes on without any one of its threads`(refused: Int) async throws {
        let threads = RefusingThreads { $0 == refused }
        var settings = WorkerPool.Settings()
        settings.width = 3
        let pool = WorkerPool(
            program: WorkerBench.program,
            settings: settings,
            threads: threads.starter
        )
        let file = TestImage.png()
        if refused == 1 {
            let failure = try await WorkerBench.failure(of: file, on: pool)
            #expect(failure?.description.contains(Self.hint) == true)
        }
        for _ in 0..<2 { #expect(try await WorkerBench.failure(of: file, on: pool) == nil) }
        // The refused one was started by a later request.
        #expect(threads.startCount == (refused > 3 ? 3 : 4))
        let busy = (0..<3).map { _ in
            Task { try? await WorkerBench.image(of: WorkerBench.file("loop"), on: pool) }
        }
        await WorkerBench.wait { pool.workers.count == 3 }
        pool.stop()
        for load in busy { #expect(await load.value == nil) }
    }

    @Test func `memory pressure is watched once a thread is there`() async {
        let threads = RefusingThreads { $0 == 1 }
        let opened = Gate()
        let stall = PressureStall(threads: threads.starter) {
            opened.open()
            return nil
        }
        let first = stall.add {}
        let second = stall.add {}
        await opened.wait()
        #expect(threads.startCount == 2)
        withExtendedLifetime((first, second)) {}
    }

    private final class Canary: Sendable {
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }
}
