import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why a worker process gave no answer.
enum WorkerFailure: Error, Equatable, Sendable {
    /// A signal ended it.
    case crashed(signal: Int32)
    /// It made a system call that its walls forbid.
    case forbiddenCall(number: Int32)
    /// It ended by itself.
    case exited(code: Int32)
    /// It took longer than the limit.
    case timedOut(Duration)
    /// Its answer breaks the protocol or the limits.
    case invalidAnswer(String)
    /// It cannot be started.
    case cannotStart(String)
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
        case .timedOut, .cannotStart, .noMemory, .requestTooLarge, .stopped, .cancelled: false
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
        case .cannotStart, .noMemory, .requestTooLarge, .stopped, .cancelled: false
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
            "the worker process made the forbidden system call \(number)"
        case .exited(let code): "the worker process ended with code \(code)"
        case .timedOut(let limit): "the worker process took longer than \(limit)"
        case .invalidAnswer(let detail): "the worker process gave an invalid answer, \(detail)"
        case .cannotStart(let detail): "no worker process can be started: \(detail)"
        case .noMemory(let number):
            "there is no shared memory for a worker process (error \(number))"
        case .requestTooLarge: "the request is too large for a worker process"
        case .stopped: "the worker processes were stopped"
        case .cancelled: "nobody waits for the worker process any more"
        }
    }
}
