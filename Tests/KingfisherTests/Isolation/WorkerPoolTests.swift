import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// A fault of a decoder ends one worker and nothing else.
@Suite(.enabled(if: WorkerBench.isPossible), .serialized, .timeLimit(.minutes(5)))
struct WorkerPoolTests {
    @Test func `a worker decodes`() async throws {
        let pool = WorkerBench.pool()
        let image = try await WorkerBench.image(of: TestImage.jpeg(width: 40, height: 30), on: pool)
        #expect(image.pixelWidth == 40)
        #expect(image.pixelHeight == 30)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test(arguments: [
        "crash", "trap", "wildWrite", "openFile", "connect", "fork", "execute", "kill", "threads",
        "garbage", "memory", "negativeLength", "longLength",
    ])
    func `a fault ends the worker, and the next file is decoded`(_ fault: String) async throws {
        let pool = WorkerBench.pool(memory: 256 << 20)
        let failure = try await WorkerBench.failure(of: WorkerBench.file(fault), on: pool)
        switch (fault, failure) {
        case ("crash", .crashed(signal: SIGSEGV)), ("wildWrite", .crashed(signal: SIGSEGV)): break
        case ("trap", .crashed), ("memory", .crashed), ("garbage", .invalidAnswer): break
        case ("negativeLength", .invalidAnswer), ("longLength", .invalidAnswer): break
        case ("openFile", .forbiddenSystemCall), ("connect", .forbiddenSystemCall),
            ("fork", .forbiddenSystemCall), ("execute", .forbiddenSystemCall),
            ("kill", .forbiddenSystemCall), ("threads", .forbiddenSystemCall):
            break
        default: Issue.record("\(fault) ended in \(String(describing: failure))")
        }
        // Both attempts have ended their worker.
        #expect(pool.failureCount == 2)
        let image = try await WorkerBench.image(of: TestImage.png(), on: pool)
        #expect(image.pixelWidth > 0)
        #expect(pool.failureCount == 2)
        pool.stop()
    }

    @Test func `an image with impossible sides is refused`() async throws {
        let pool = WorkerBench.pool()
        let failure = try await WorkerBench.failure(of: WorkerBench.file("hugeSides"), on: pool)
        guard case .invalidAnswer = failure else {
            Issue.record("it ended in \(String(describing: failure))")
            return
        }
        pool.stop()
    }

    @Test func `a worker cannot change an image that it has handed over`() async throws {
        let pool = WorkerBench.pool()
        let image = try await WorkerBench.image(of: WorkerBench.file("scribble"), on: pool)
        let bitmap = try #require(image.bitmap)
        #expect(bitmap.size == PixelSize(width: 64, height: 64))
        let pixels = bitmap.rows.map { Array($0) }
        // The worker is busy changing its own.
        let isFinal = (0..<1000).allSatisfy { _ in bitmap.rows.map { Array($0) } == pixels }
        #expect(isFinal)
        pool.stop()
    }

    @Test func `a worker that hangs is ended, and not tried again`() async throws {
        let pool = WorkerBench.pool(time: .milliseconds(300))
        let failure = try await WorkerBench.failure(of: WorkerBench.file("loop"), on: pool)
        #expect(failure == .timedOut(.milliseconds(300)))
        #expect(pool.failureCount == 1)
        pool.stop()
    }

    @Test func `a worker that answers without reading keeps no caller waiting`() async throws {
        let pool = WorkerBench.pool()
        // All wait at once: a worker that says something between two requests is ended anyway.
        let answers = try (0..<16).map { number in
            let text = number == 0 ? "fault ahead " : "fault nothing \(number) "
            let request = try WorkerBench.request(Data(text.utf8) + Data(count: 50_000))
            return Task.immediate { try await pool.answer(to: request) }
        }
        for answer in answers { _ = try? await answer.value }
        // Not an answer that was sent ahead.
        _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
        #expect(pool.failureCount > 0)
        pool.stop()
    }

    @Test func `a file that has ended its workers is refused for a while`() async throws {
        let time = Locked(ContinuousClock.now)
        let crashes = CrashMemory(duration: .seconds(600), now: { time.value })
        let pool = WorkerBench.pool(crashes: crashes)
        let file = WorkerBench.file("crash")
        let first = try await WorkerBench.failure(of: file, on: pool)
        #expect(pool.failureCount == 2)
        #expect(try await WorkerBench.failure(of: file, on: pool) == first)
        #expect(pool.failureCount == 2)
        // Another file of the same length has done nothing.
        let other = await #expect(throws: KingfisherError.self) {
            try await WorkerBench.failure(of: WorkerBench.file("noway"), on: pool)
        }
        #expect(other?.errorCode == 4001)
        time.change { $0 += .seconds(601) }
        _ = try await WorkerBench.failure(of: file, on: pool)
        #expect(pool.failureCount == 4)
        pool.stop()
    }

    @Test func `a cancelled load ends its worker`() async throws {
        let pool = WorkerBench.pool()
        let task = Task { try await WorkerBench.image(of: WorkerBench.file("loop"), on: pool) }
        let first = try await started(pool)
        // One that is cancelled before the worker has it leaves the worker alone.
        let start = WorkerBench.ticks(of: first)
        await WorkerBench.wait { WorkerBench.ticks(of: first) > start + 50 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await WorkerBench.wait { pool.workers.isEmpty }
        // Its number is free again: the process is gone, and reaped.
        #expect(kill(first, 0) != 0)
        _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
        pool.stop()
    }

    @Test func `a worker starts for each file that waits`() async throws {
        let pool = WorkerBench.pool(width: 3)
        let loads = (0..<3).map { _ in
            Task { try await WorkerBench.image(of: WorkerBench.file("loop"), on: pool) }
        }
        await WorkerBench.wait { pool.workers.count == 3 }
        for load in loads { load.cancel() }
        await WorkerBench.wait { pool.workers.isEmpty }
        _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
        pool.stop()
    }

    @Test func `a worker starts with a file, and ends when it has nothing to do`() async throws {
        let pool = WorkerBench.pool(rest: .milliseconds(1))
        _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
        await WorkerBench.wait { pool.workers.isEmpty }
        _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `a worker that dies without work is replaced`() async throws {
        let pool = WorkerBench.pool()
        _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
        let first = try await started(pool)
        kill(first, SIGKILL)
        // Reaped at once, not with the next request.
        await WorkerBench.wait { kill(first, 0) != 0 }
        _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
        #expect(try await started(pool) != first)
        pool.stop()
    }

    @Test func `a worker is replaced after its number of requests`() async throws {
        let pool = WorkerBench.pool(requestsPerWorker: 2)
        let request = try WorkerBench.request(TestImage.png())
        var seen: Set<pid_t> = []
        for _ in 0..<3 {
            _ = try await pool.answer(to: request)
            seen.insert(try #require(pool.workers.first))
            _ = try await pool.answer(to: request)
            #expect(pool.workers.isEmpty)
        }
        #expect(seen.count == 3)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test(.enabled(if: OptionalFormat(.tiff)?.isAvailable == true))
    func `a worker that lacks the library of a format is replaced once, and counts as no failure`()
        async throws
    {
        let pool = WorkerBench.pool()
        let file = try #require(IsolatedDecodingTests.fixtures().first { $0.name == "lzw.tiff" })
        _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
        let first = try await started(pool)
        #expect(try await WorkerBench.image(of: file.data, on: pool).pixelWidth > 0)
        let second = try await started(pool)
        #expect(second != first)
        _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
        _ = try await WorkerBench.image(of: file.data, on: pool)
        #expect(try await started(pool) == second)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `a start that the system refuses for a moment is tried again`() async throws {
        let starts = Locked(0)
        let pool = WorkerBench.pool(startPauses: [.zero, .zero], refusing: starts) { $0 <= 2 }
        #expect(try await WorkerBench.image(of: TestImage.png(), on: pool).pixelWidth > 0)
        #expect(starts.value == 3)
        pool.stop()
    }

    @Test func `a start that the system goes on to refuse is an error with the limit`()
        async throws
    {
        let starts = Locked(0)
        let pool = WorkerBench.pool(startPauses: [.zero, .zero], refusing: starts) { _ in true }
        let failure = try await WorkerBench.failure(of: TestImage.png(), on: pool)
        guard case .unavailable(let reason) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.contains("pids.max"), "\(reason)")
        #expect(starts.value == 3)
        pool.stop()
    }

    @Test func `a program that is missing is an error`() async throws {
        let pool = WorkerPool(program: WorkerProgram(path: "/nowhere/at-all"))
        let failure = try await WorkerBench.failure(of: TestImage.png(), on: pool)
        guard case .unavailable(let reason) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.contains("No such file"))
        pool.stop()
    }

    @Test func `a program that is no worker is an error`() async throws {
        let pool = WorkerPool(program: WorkerProgram(path: "/bin/true"))
        let failure = try await WorkerBench.failure(of: TestImage.png(), on: pool)
        guard case .unavailable = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        pool.stop()
    }

    @Test func `what waits for a stopped pool fails`() async throws {
        let pool = WorkerBench.pool()
        let task = Task { try await WorkerBench.failure(of: WorkerBench.file("loop"), on: pool) }
        _ = try await started(pool)
        pool.stop()
        guard case .unavailable = try await task.value else {
            Issue.record("the load did not fail")
            return
        }
        #expect(pool.workers.isEmpty)
    }

    /// The one worker of a pool, once it runs.
    private func started(_ pool: WorkerPool) async throws -> pid_t {
        await WorkerBench.wait { !pool.workers.isEmpty }
        return try #require(pool.workers.first)
    }
}
