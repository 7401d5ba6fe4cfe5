import ArgumentParser
import Foundation
import Kingfisher

/// Something of the tool's own that went wrong, in a sentence for the user.
struct Failure: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    /// A failed system call: `cannot read a.jpg: No such file or directory`.
    init(_ what: String, code: Int32) {
        message = "\(what): \(String(cString: strerror(code)))"
    }
}

/// How errors look on the terminal.
enum ErrorReport {
    /// The line for an error: the library's code, if it has one, the source, and the reason.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - source: What failed; left out where the reason names it.
    /// - Returns: The line, without the name of the program.
    static func line(for error: any Error, source: String? = nil) -> String {
        let code = (error as? KingfisherError).map { " \($0.errorCode)" } ?? ""
        let reason = reason(for: error)
        let isNamed = source.map { reason.contains($0) } ?? true
        return "error\(code): " + (isNamed ? "" : "\(source ?? ""): ") + reason
    }

    /// What went wrong and what to do about it, without the words "error" and "kf".
    static func reason(for error: any Error) -> String {
        switch error {
        case let error as KingfisherError: LibraryErrorText.text(for: error)
        case let error as Failure: error.message
        case is CancellationError: "cancelled"
        default: SystemErrorText.text(for: error)
        }
    }

    /// Prints an error to standard error and gives the exit status of a failed load.
    ///
    /// Errors of the argument parser pass through, so that wrong usage keeps its own status.
    static func exit(for error: any Error, source: String? = nil) -> any Error {
        if error is ValidationError || error is ExitCode || error is CleanExit { return error }
        Terminal.note("kf: " + line(for: error, source: source), style: .red)
        return ExitCode.failure
    }
}

/// Words for the errors of Foundation and the system.
enum SystemErrorText {
    static func text(for error: any Error) -> String {
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        let system = error as NSError
        if let cause = system.userInfo[NSUnderlyingErrorKey] as? any Error {
            return text(for: cause)
        }
        if system.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(truncatingIfNeeded: system.code)))
        }
        return system.localizedFailureReason ?? system.localizedDescription
    }
}
