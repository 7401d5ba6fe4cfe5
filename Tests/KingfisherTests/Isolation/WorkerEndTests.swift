import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(Glibc)
import Glibc
#endif

/// Whatever ends, nothing is left: no process, no descriptor, no memory.
@Suite(.enabled(if: WorkerBench.isPossible), .serialized, .timeLimit(.minutes(5)))
struct WorkerEndTests {
    private static let folderVariable = "KINGFISHER_WORKER_FOLDER"

    @Test func `loads of a pool whose workers are killed on the way end once, and leave nothing`()
        async
    {
        await #expect(processExitsWith: .success) {
            _ = try await WorkerEndTests.storm(loads: 20)
            // Descriptors that the first use opens for good are open by now.
            let before = Leftovers()
            let counts = try await WorkerEndTests.storm(loads: 120)
            guard counts.ends == 120, counts.wrong == 0, counts.right > 0, counts.kills > 0 else {
                fatalError("\(counts)")
            }
            // The last lane closes the pool's event counter shortly after `stop` has returned.
            let deadline = ContinuousClock.now + .seconds(20)
            await WorkerBench.wait {
                ContinuousClock.now > deadline || Leftovers().isAtMost(before)
            }
            guard Leftovers().isAtMost(before) else { fatalError("\(before): \(Leftovers())") }
        }
    }

    @Test func `workers end with a program that is killed, at work or not`() async throws {
        let folder = try TemporaryDirectory()
        setenv(Self.folderVariable, folder.url.path, 1)
        defer { unsetenv(Self.folderVariable) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let path = ProcessInfo.processInfo.environment[WorkerEndTests.folderVariable] ?? ""
            let pool = WorkerBench.pool(width: 2)
            let busy = Task {
                try await WorkerBench.image(of: WorkerBench.file("loop"), on: pool)
            }
            // One works, the other has nothing to do.
            while pool.workers.count < 2 {
                _ = try await WorkerBench.image(of: TestImage.png(), on: pool)
            }
            let names = pool.workers.map(String.init).joined(separator: " ")
            try Data(names.utf8).write(to: URL(filePath: path).appending(path: "workers"))
            kill(getpid(), SIGKILL)
            _ = try await busy.value
        }
        let names = try String(contentsOf: folder.file("workers"), encoding: .utf8)
        let workers = names.split(separator: " ").compactMap { pid_t($0) }
        #expect(workers.count == 2)
        for worker in workers {
            await WorkerBench.wait { !Self.isRunning(worker) }
        }
    }

    private static func workerThatCannotBeSignalled() throws -> WorkerProcess {
        let worker = try WorkerProcess(
            WorkerBench.program,
            limits: WorkerLimits(memory: 1 << 30, time: .seconds(60)),
            preparing: [],
            endProcess: { _ in EPERM }
        )
        try worker.awaitReady()
        return worker
    }

    @Test func `a worker ends where a filter refuses signals to descriptors of processes`() throws {
        let worker = try Self.workerThatCannotBeSignalled()
        #expect(worker.end() == .crashed(signal: SIGKILL))
        #expect(!Self.isRunning(worker.pid))
    }

    @Test func `an abandoned request ends its worker where such signals are refused`() async throws
    {
        let worker = try Self.workerThatCannotBeSignalled()
        let failure = Locked<WorkerFailure?>(nil)
        let request = try WorkerBench.request(WorkerBench.file("loop"))
        let ended = Gate()
        Thread.detachNewThread {
            do throws(WorkerFailure) {
                _ = try worker.answer(to: request, while: { true })
            } catch {
                failure.change { $0 = error }
            }
            ended.open()
        }
        await WorkerBench.wait { worker.requestCount == 1 }
        worker.kill()
        await ended.wait()
        #expect(failure.value == .crashed(signal: SIGKILL))
        #expect(!Self.isRunning(worker.pid))
    }

    /// Whether a process runs; one that nobody has reaped does not.
    private static func isRunning(_ pid: pid_t) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let name = status.lastIndex(of: ")")
        else { return false }
        return !status[name...].dropFirst(2).hasPrefix("Z")
    }

    struct Counts {
        var ends = 0
        var right = 0
        var wrong = 0
        var kills = 0
    }

    /// Loads many images on two workers, while its workers are killed.
    static func storm(loads: Int) async throws -> Counts {
        let pool = WorkerBench.pool(width: 2)
        let file = TestImage.jpeg(width: 320, height: 240)
        let expected = KFCrossPlatformImage(data: file)?.bitmap
        let counts = Locked(Counts())
        await withTaskGroup { group in
            for index in 0..<loads {
                group.addTask {
                    let image = try? await WorkerBench.image(of: file, on: pool)
                    // Every tenth load that ends kills a worker, most likely one at work for another.
                    counts.change { counts in
                        counts.ends += 1
                        let workers = counts.ends.isMultiple(of: 10) ? pool.workers : []
                        if !workers.isEmpty {
                            kill(workers[counts.ends / 10 % workers.count], SIGKILL)
                            counts.kills += 1
                        }
                        if image?.bitmap == expected { counts.right += 1 }
                        if let image, image.bitmap != expected { counts.wrong += 1 }
                    }
                }
                // Some are cancelled on the way.
                if index % 16 == 0 {
                    group.addTask {
                        let task = Task { try await WorkerBench.image(of: file, on: pool) }
                        task.cancel()
                        _ = try? await task.value
                    }
                }
            }
        }
        pool.stop()
        return counts.value
    }
}

/// What may be left behind.
private struct Leftovers {
    var descriptors: Int
    var children: Int
    var mappings: Int

    init() {
        descriptors =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
        let threads =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        children = threads.reduce(0) { count, thread in
            let path = "/proc/self/task/\(thread)/children"
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return count + text.split(separator: " ").count
        }
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        mappings = maps.split(separator: "\n").filter { $0.contains("memfd:kingfisher") }.count
    }

    /// Whether no process and no mapping is left, and no descriptor that was not open before.
    func isAtMost(_ before: Leftovers) -> Bool {
        descriptors <= before.descriptors && children == 0 && mappings == 0
    }
}
