/// Why a worker process returned no image; see ``ProcessIsolation``.
public enum IsolationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The worker was killed by a signal: a fault in a decoder, or the memory limit.
    case crashed(signal: Int32)
    /// The worker made a system call that its sandbox forbids; the value is the system call's
    /// number.
    case forbiddenSystemCall(number: Int32)
    /// The worker exited by itself with this code.
    case ended(code: Int32)
    /// The worker exceeded the time limit.
    case timedOut(Duration)
    /// The worker sent an invalid response.
    case invalidAnswer(String)
    /// No worker is available, for this reason.
    case unavailable(String)

    /// A clause such as `the worker process was ended by signal 11`.
    public var description: String {
        switch self {
        case .crashed(let signal): "the worker process was killed by signal \(signal)"
        case .forbiddenSystemCall(let number):
            "the worker process made the forbidden system call \(number)"
        case .ended(let code): "the worker process exited with code \(code)"
        case .timedOut(let limit): "the worker process took longer than \(limit)"
        case .invalidAnswer(let detail): "the worker process sent an invalid response: \(detail)"
        case .unavailable(let reason): "no worker process is available: \(reason)"
        }
    }
}

extension IsolationFailure {
    init(_ failure: WorkerFailure) {
        self =
            switch failure {
            case .crashed(let signal): .crashed(signal: signal)
            case .forbiddenCall(let number): .forbiddenSystemCall(number: number)
            case .exited(let code): .ended(code: code)
            case .timedOut(let limit): .timedOut(limit)
            case .invalidAnswer(let detail): .invalidAnswer(detail)
            case .cannotStart, .noMemory, .requestTooLarge, .stopped, .cancelled:
                .unavailable("\(failure)")
            }
    }
}
