import ArgumentParser
import Foundation
import Kingfisher

/// Something of the tool's own that went wrong, in a sentence for the user.
struct Failure: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// How errors look on the terminal.
enum ErrorReport {
    /// The line for an error: the library's code, if it has one, and the reason.
    static func line(for error: any Error) -> String {
        switch error {
        case let error as KingfisherError:
            "error \(error.errorCode): \(error.errorDescription ?? "unknown reason")"
        case let error as Failure:
            "error: \(error.message)"
        case is CancellationError:
            "error: cancelled"
        default:
            "error: \(error.localizedDescription)"
        }
    }

    /// Prints an error to standard error and gives the exit status of a failed load.
    ///
    /// Errors of the argument parser pass through, so that wrong usage keeps its own status.
    static func exit(for error: any Error) -> any Error {
        if error is ValidationError || error is ExitCode || error is CleanExit { return error }
        StandardError.write("kf: " + line(for: error))
        return ExitCode.failure
    }
}

/// The stream for people, which stays apart from results.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func write(_ text: String, terminator: String = "\n") {
        FileHandle.standardError.write(Data((text + terminator).utf8))
    }
}
