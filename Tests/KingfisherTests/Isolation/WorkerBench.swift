import CKFIsolationShim
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Pools of the test's own worker program.
enum WorkerBench {
    /// The sanitizers' own system calls are none that a filter could allow.
    static let isPossible = kf_is_sanitized() == 0

    /// The worker program, which is built beside the tests.
    static let program = WorkerProgram(
        path: Bundle.main.executableURL
            .map { $0.deletingLastPathComponent().appendingPathComponent("isolation-worker").path }
            ?? "isolation-worker"
    )

    static func pool(
        width: Int = 1,
        requestsPerWorker: Int = 1000,
        memory: Int = 1 << 30,
        time: Duration = .seconds(60),
        rest: Duration = .seconds(60),
        preparing preparations: WorkerPreparations = [],
        crashes: CrashMemory = CrashMemory()
    ) -> WorkerPool {
        var settings = WorkerPool.Settings()
        settings.width = width
        settings.requestsPerWorker = requestsPerWorker
        settings.limits = WorkerLimits(memory: memory, time: time)
        settings.rest = rest
        settings.preparations = preparations
        return WorkerPool(program: program, settings: settings, crashes: crashes)
    }

    /// A pool of one worker, some of whose starts are refused by their numbers, from 1.
    static func pool(
        startPauses: [Duration],
        refusing starts: Locked<Int>,
        where isRefused: @escaping @Sendable (Int) -> Bool
    ) -> WorkerPool {
        var settings = WorkerPool.Settings()
        settings.width = 1
        settings.startPauses = startPauses
        var program = program
        program.refusal = {
            starts.change { $0 += 1 }
            return isRefused(starts.value) ? EAGAIN : 0
        }
        return WorkerPool(program: program, settings: settings)
    }

    /// For what asks no worker.
    static let idle = IsolatedDecoding(pool: pool())

    /// Waits for what no event tells, such as the end of a process, without keeping a thread of the
    /// cooperative pool busy: the other tests run on the same few.
    ///
    /// Fails after half a minute: the time limit of a test does not end it.
    static func wait(
        at location: SourceLocation = #_sourceLocation,
        until isSo: @escaping @Sendable () -> Bool
    ) async {
        let deadline = ContinuousClock.now + .seconds(30)
        let isMet = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while true {
                    if isSo() { return continuation.resume(returning: true) }
                    guard ContinuousClock.now < deadline else { break }
                    usleep(1_000)
                }
                continuation.resume(returning: false)
            }
        }
        if !isMet {
            Issue.record("what the test waits for has not happened", sourceLocation: location)
        }
    }

    /// The processor time of a process, in hundredths of a second; as much as there is once it has
    /// ended.
    static func ticks(of process: pid_t) -> Int {
        let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = stat?.split(separator: ")").last?.split(separator: " ")
        guard let fields, fields.count > 12 else { return .max }
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }

    /// A file that makes a worker do something bad.
    static func file(_ fault: String, _ name: String = "") -> Data {
        Data("fault \(fault) \(name)".utf8)
    }

    /// A request that decodes a file.
    static func request(_ file: Data) throws -> WorkerRequest {
        try IsolatedRequest
            .image(DefaultImageProcessor.default, IsolatedOptions(KingfisherParsedOptionsInfo(nil)))
            .message(for: file)
    }

    /// The image that a pool makes of a file.
    static func image(
        of file: Data,
        by processor: any ImageProcessor = DefaultImageProcessor.default,
        on pool: WorkerPool,
        _ info: KingfisherOptionsInfo = []
    ) async throws -> KFCrossPlatformImage {
        let options = KingfisherParsedOptionsInfo(info + [.processor(processor), .isolated])
        return try await ImageMaker(workers: pool).image(of: .data(file), options: options)
    }

    /// How a pool fails with a file; nil when it does not.
    static func failure(of file: Data, on pool: WorkerPool) async throws -> IsolationFailure? {
        do {
            _ = try await image(of: file, on: pool)
            return nil
        } catch let error as KingfisherError {
            guard case .isolationFailed(let failure) = error.processingError else { throw error }
            return failure
        }
    }
}
