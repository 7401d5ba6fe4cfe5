import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A run of the program `kf-serve`, which the package manager puts next to the tests.
final class ServeProgram: Sendable {
    private struct State {
        var output = Data()
        var errors = Data()
        var waiters: [(name: String, continuation: CheckedContinuation<Int, any Error>)] = []
        var openPipes = 2

        var hasEnded: Bool { openPipes == 0 }
    }

    private let state = Mutex(State())
    private let identifier: Int32
    private let ended: Task<Int32, Never>

    /// The program, beside that of the tests.
    static let file = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("kf-serve")

    /// Starts the program with an environment of its own, directly or by a command that gets its
    /// path as the last argument.
    init(
        _ environment: [String: String],
        _ arguments: [String] = [],
        around command: [String] = []
    ) throws {
        let process = Process()
        let words = command + [Self.file.path] + arguments
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = environment
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let (statuses, end) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let wasSignal = process.terminationReason == .uncaughtSignal
            end.yield(wasSignal ? -process.terminationStatus : process.terminationStatus)
        }
        try process.run()
        identifier = process.processIdentifier
        ended = Task {
            for await status in statuses { return status }
            return -1
        }
        read(output) { $0.output.append($1) }
        read(errors) { $0.errors.append($1) }
    }

    var output: String { String(decoding: state.withLock { $0.output }, as: UTF8.self) }
    var errors: String { String(decoding: state.withLock { $0.errors }, as: UTF8.self) }

    /// Waits for the port that a line of the log names; throws if the program ends before.
    func port(of name: String = "listening") async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.waiters.append((name, continuation)) }
            answerWaiters()
        }
    }

    /// The processes that this one has started, and that still run.
    var children: [Int32] { Self.children(of: identifier) }

    /// The processes below a process, each with its state as the kernel shows it.
    static func tree(below process: Int32) -> [(process: Int32, state: Character)] {
        children(of: process).flatMap { child in
            let text = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ""
            let state = text.split(separator: ")").last?.dropFirst().first ?? "?"
            return [(child, state)] + tree(below: child)
        }
    }

    private static func children(of process: Int32) -> [Int32] {
        let path = "/proc/\(process)/task/\(process)/children"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }

    func signal(_ number: Int32) { Glibc.kill(identifier, number) }

    func kill() { signal(SIGKILL) }

    /// Waits for the end; a signal is negative.
    func status() async -> Int32 {
        let status = await ended.value
        // The last output may arrive after the end.
        while !state.withLock({ $0.hasEnded }), !Task.isCancelled { await Task.yield() }
        return status
    }

    private func read(_ pipe: Pipe, _ keep: @escaping @Sendable (inout State, Data) -> Void) {
        let handle = pipe.fileHandleForReading
        Thread { [self] in
            while true {
                let data = handle.availableData
                state.withLock { state in
                    keep(&state, data)
                    if data.isEmpty { state.openPipes -= 1 }
                }
                answerWaiters()
                if data.isEmpty { return }
            }
        }.start()
    }

    /// Answers those whose line is in the log, or all after the end.
    private func answerWaiters() {
        let answers = state.withLock { state in
            let text = String(decoding: state.errors, as: UTF8.self)
            var answers: [(CheckedContinuation<Int, any Error>, Result<Int, any Error>)] = []
            state.waiters.removeAll { [hasEnded = state.hasEnded] waiter in
                if let port = Self.port(of: waiter.name, in: text) {
                    answers.append((waiter.continuation, .success(port)))
                } else if hasEnded {
                    let failure = RawClient.Failure(reason: "the program has ended: \(text)")
                    answers.append((waiter.continuation, .failure(failure)))
                } else {
                    return false
                }
                return true
            }
            return answers
        }
        for (continuation, result) in answers { continuation.resume(with: result) }
    }

    private static func port(of name: String, in log: String) -> Int? {
        guard let start = log.firstRange(of: "\(name) ")?.upperBound else { return nil }
        return log[start...].firstMatch(of: #/:(\d+)\s/#).flatMap { Int($0.1) }
    }
}
