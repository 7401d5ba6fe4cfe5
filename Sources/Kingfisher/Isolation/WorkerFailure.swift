import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why a worker process gave no answer.
enum WorkerFailure: Error, Equatable, Sendable {
    /// A signal ended it.
    case crashed(signal: Int32)
    /// It made a system call that its walls forbid; -1 for one whose number is unknown.
    case forbiddenCall(number: Int32)
    /// It ended by itself.
    case exited(code: Int32)
    /// It took longer than the limit.
    case timedOut(Duration)
    /// Its answer breaks the protocol or the limits.
    case invalidAnswer(String)
    /// It cannot be started.
    case cannotStart(String)
    /// The system has no process left for it.
    case noProcess(errno: Int32)
    /// There is no memory to hand to it.
    case noMemory(errno: Int32)
    /// The request is too large for one message.
    case requestTooLarge
    /// The pool was stopped.
    case stopped
    /// No caller is left.
    case cancelled

    /// Whether a fresh worker may do better.
    var isWorthRetrying: Bool {
        switch self {
        case .crashed, .forbiddenCall, .exited, .invalidAnswer: true
        case .timedOut, .cannotStart, .noProcess, .noMemory, .requestTooLarge, .stopped, .cancelled:
            false
        }
    }

    /// Whether the request is to blame: the next worker would fail as well.
    ///
    /// A worker that was killed from outside, as by the system when memory is short, is no evidence
    /// against the file.
    var blamesRequest: Bool {
        switch self {
        case .crashed(let signal): signal != SIGKILL
        case .forbiddenCall, .exited, .invalidAnswer, .timedOut: true
        case .cannotStart, .noProcess, .noMemory, .requestTooLarge, .stopped, .cancelled: false
        }
    }
}

extension WorkerFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .crashed(let signal):
            "the worker process was ended by signal \(signal)"
                + (signal == SIGKILL ? ", from outside or because memory was short" : "")
        case .forbiddenCall(let number):
            "the worker process made a forbidden system call"
                + (number < 0 ? "" : ", that with the number \(number)")
        case .exited(let code): "the worker process ended with code \(code)"
        case .timedOut(let limit): "the worker process took longer than \(limit)"
        case .invalidAnswer(let detail): "the worker process gave an invalid answer, \(detail)"
        case .cannotStart(let detail): "no worker process can be started: \(detail)"
        case .noProcess(let number):
            "the system refused a worker process (\(String(cString: strerror(number)))); raise "
                + ThreadRefused.limits
        case .noMemory(let number):
            "there is no shared memory for a worker process (error \(number))"
        case .requestTooLarge: "the request is too large for a worker process"
        case .stopped: "the worker processes were stopped"
        case .cancelled: "nobody waits for the worker process any more"
        }
    }
}

/// Files that ended workers, remembered for a while so that they do not end more of them.
final class CrashMemory: Sendable {
    private struct Entry {
        let failure: WorkerFailure
        let end: ContinuousClock.Instant
    }

    private struct State {
        /// By the digest of the file.
        var entries: [[UInt8]: Entry] = [:]
        /// The sizes of the files: a file of another size need not be hashed, which on the way of
        /// every good file would cost as much as decoding a part of it.
        var sizes: Set<Int> = []
    }

    private let state = Mutex(State())
    private let duration: Duration
    private let capacity: Int
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Makes a memory.
    ///
    /// - Parameters:
    ///   - duration: How long a file is remembered.
    ///   - capacity: How many files; the oldest is forgotten first.
    ///   - now: The time.
    init(
        duration: Duration = .seconds(600),
        capacity: Int = 1024,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.duration = duration
        self.capacity = max(1, capacity)
        self.now = now
    }

    /// The failure that a file has caused, if it is remembered.
    func failure(of file: Data) -> WorkerFailure? {
        // Of the requests without a file none is to blame for another.
        guard !file.isEmpty, state.withLock({ $0.sizes.contains(file.count) }) else { return nil }
        let name = Self.name(of: file)
        return state.withLock { state in
            guard let entry = state.entries[name] else { return nil }
            if entry.end > now() { return entry.failure }
            forget(name, in: &state)
            return nil
        }
    }

    /// Remembers the failure that a file has caused.
    func note(_ failure: WorkerFailure, of file: Data) {
        let name = Self.name(of: file)
        state.withLock { state in
            if state.entries.count >= capacity,
                let oldest = state.entries.min(by: { $0.value.end < $1.value.end })
            {
                forget(oldest.key, in: &state)
            }
            state.entries[name] = Entry(failure: failure, end: now() + duration)
            state.sizes.insert(file.count)
        }
    }

    private func forget(_ name: [UInt8], in state: inout State) {
        state.entries[name] = nil
        // A size too many costs a hash and is never wrong.
        if state.entries.isEmpty { state.sizes = [] }
    }

    private static func name(of file: Data) -> [UInt8] { SHA256.hash(file) }
}
