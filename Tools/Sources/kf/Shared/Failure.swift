import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

/// An error of the tool itself, with a sentence for the user.
struct Failure: Error {
    let message: String
    /// Whether a file cannot be written because its disk, or the user's part of it, is full.
    let isDiskFull: Bool

    init(_ message: String) {
        self.message = message
        isDiskFull = false
    }

    /// A failed system call, as in `cannot read a.jpg: No such file or directory`.
    init(_ what: String, code: Int32) {
        message = "\(what): \(String(cString: strerror(code)))"
        isDiskFull = code == ENOSPC || code == EDQUOT
    }

    /// A file that cannot be opened, with advice if its path may be a web address.
    static func unreadable(_ path: String, code: Int32) -> Failure {
        // Arguments and listings have this character in place of bytes that are not UTF-8.
        if code == ENOENT, path.unicodeScalars.contains("\u{FFFD}") {
            return Failure("cannot read \(path): the name is not UTF-8; rename it")
        }
        let host = path.prefix { $0 != "/" }
        let isAddress =
            code == ENOENT && path.contains("/") && !host.hasPrefix(".")
            && host.contains { ".:".contains($0) }
        let failure = Failure("cannot read \(path)", code: code)
        return isAddress
            ? Failure(failure.message + "; a web address begins with https://") : failure
    }
}

/// Formats errors for the terminal.
enum ErrorReport {
    /// The line for an error: the library's code, if any, the source, and the reason.
    ///
    /// URLs are shown without their queries.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - source: The source that failed; omitted if the reason mentions it.
    /// - Returns: The line, without the name of the program.
    static func line(for error: any Error, source: String? = nil) -> String {
        let code = (error as? KingfisherError).map { " \($0.errorCode)" } ?? ""
        let reason = reason(for: error)
        let source = source?.disclosing(.path)
        let isNamed = source.map { reason.contains($0) } ?? true
        // A reason may quote a file, a server or a name.
        return Terminal.line(
            "error\(code): " + (isNamed ? "" : "\(source ?? ""): ") + reason
        )
    }

    /// The reason of an error with advice, without the prefixes "error" and "kf".
    ///
    /// URLs are shown without their queries.
    static func reason(for error: any Error) -> String { text(for: error).disclosing(.path) }

    private static func text(for error: any Error) -> String {
        switch error {
        case let error as KingfisherError: LibraryErrorText.text(for: error)
        case let error as Failure: error.message
        // Of an input that is found while running, such as one in a list.
        case let error as ValidationError: error.message
        case let error as TimeAfterEnd:
            "--at is after the end of the video, which has "
                + "\(trimmed((error.duration * 1000).rounded() / 1000)) seconds"
        case ImageFileInfo.Failure.needsMoreData(let reason):
            "the header is incomplete: \(reason); check the source"
        case ImageFileInfo.Failure.unreadable(let reason):
            "the header cannot be read: \(reason); check the source"
        case is CancellationError: "cancelled"
        default: SystemErrorText.text(for: error)
        }
    }

    /// Prints an error to standard error and returns the exit status of a failed load.
    ///
    /// Errors of the argument parser are returned unchanged, so that wrong usage keeps its own
    /// status.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - source: The source that failed.
    ///   - out: Whether standard output gets a ``FailureReport``.
    /// - Returns: The error to throw.
    static func exit(
        for error: any Error,
        source: String? = nil,
        _ out: OutputOptions? = nil
    ) -> any Error {
        if error is ValidationError || error is ExitCode || error is CleanExit { return error }
        out?.printFailure(error, source: source)
        Terminal.note("kf: " + line(for: error, source: source), style: .red)
        return ExitCode.failure
    }
}

/// Descriptions of the errors of Foundation and the system.
enum SystemErrorText {
    /// The system's error number; nil for an error of another kind.
    static func code(of error: any Error) -> Int32? {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(truncatingIfNeeded: error.code) }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error).flatMap(code(of:))
    }

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
