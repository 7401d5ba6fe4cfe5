import Foundation
@_spi(Programs) import Kingfisher
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Prints text to standard output and standard error.
///
/// Control characters are escaped: a cache key, a file name or a server's response could control
/// the terminal otherwise. Styles are added afterwards, and only on a terminal.
///
/// Standard error, which ends up in logs, shows no queries of URLs: they often have keys and
/// signatures. Neither stream shows users and passwords.
enum Terminal {
    /// The style of a line on a terminal; ignored elsewhere.
    enum Style: String {
        case plain = ""
        case bold = "\u{1B}[1m"
        case dim = "\u{1B}[2m"
        case red = "\u{1B}[31m"
        case yellow = "\u{1B}[33m"
    }

    static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    static let errorIsTerminal = isatty(STDERR_FILENO) == 1

    /// Columns of the terminal on standard error or output; 80 without a terminal.
    static var columns: Int { size.columns }

    /// Columns and rows of the terminal; 80 by 24 without a terminal.
    static var size: (columns: Int, rows: Int) {
        var window = winsize()
        for descriptor in [STDERR_FILENO, STDOUT_FILENO] {
            if ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 {
                return (Int(window.ws_col), max(1, Int(window.ws_row)))
            }
        }
        return (80, 24)
    }

    /// Whether colours are enabled: not with `NO_COLOR`, see https://no-color.org.
    private static let hasColours: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR"]?.isEmpty != false && environment["TERM"] != "dumb"
    }()

    /// Prints lines to standard output, above the progress bar if there is one.
    static func print(_ text: String, style: Style = .plain) {
        let text = text.disclosing(.query)
        let line = styled(text, style, isTerminal: outputIsTerminal) + "\n"
        // Writing to a full pipe blocks, and ending the program by a signal takes the lock.
        guard outputIsTerminal else { return write(line, to: .standardOutput) }
        status.withLock { status in
            if !status.isEmpty { write("\r\u{1B}[K", to: .standardError) }
            write(line, to: .standardOutput)
            if !status.isEmpty { write(status, to: .standardError) }
        }
    }

    /// Prints lines to standard error, above the progress bar if there is one.
    static func note(_ text: String, style: Style = .plain) {
        status.withLock { status in
            let text = text.disclosing(.path)
            let line = styled(text, style, isTerminal: errorIsTerminal) + "\n"
            write((status.isEmpty ? "" : "\r\u{1B}[K") + line + status, to: .standardError)
        }
    }

    /// Replaces the status line of standard error; an empty text erases it.
    ///
    /// Does nothing if standard error is not a terminal.
    static func showStatus(_ text: String) {
        guard errorIsTerminal else { return }
        status.withLock { status in
            guard text != status else { return }
            status = String(escaped(text).prefix(max(1, columns - 1)))
            // "\u{1B}[K" erases to the end of the line.
            write("\r" + status + "\u{1B}[K", to: .standardError)
        }
    }

    /// Opens `/dev/null` in place of standard streams that are closed.
    ///
    /// Otherwise the next file or pipe takes their numbers, and the program reads its own pipe as
    /// its input, or prints into it. Reading and writing still fail with EBADF, because each stream
    /// is opened for the other direction.
    static func occupyClosedStreams() {
        for (descriptor, mode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number, which is that of the closed stream.
            _ = open("/dev/null", mode)
        }
    }

    private static let status = Mutex("")

    /// The text with control characters escaped as in `\x1b`; line breaks are kept.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            guard isControl(scalar) else { return result.unicodeScalars.append(scalar) }
            result += String(format: scalar.value < 256 ? "\\x%02x" : "\\u{%04x}", scalar.value)
        }
    }

    /// One line of external text: as ``escaped(_:)``, with line breaks as `\n`.
    static func line(_ text: String) -> String {
        // By scalars: a line feed after a carriage return is not a character of its own.
        escaped(text).unicodeScalars.reduce(into: "") { result, scalar in
            if scalar == "\n" { result += "\\n" } else { result.unicodeScalars.append(scalar) }
        }
    }

    /// Control characters except the line feed, and the marks that change the writing direction.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func styled(_ text: String, _ style: Style, isTerminal: Bool) -> String {
        let text = escaped(text)
        guard style != .plain, isTerminal, hasColours else { return text }
        return style.rawValue + text + "\u{1B}[0m"
    }

    private static func write(_ text: String, to handle: FileHandle) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            // A closed pipe is not an error of the command, and there is no place to report that
            // standard error fails.
            guard handle === FileHandle.standardOutput, SystemErrorText.code(of: error) != EPIPE
            else { return }
            lostOutput.withLock { $0 = $0 ?? SystemErrorText.text(for: error) }
        }
    }

    private static let lostOutput = Mutex<String?>(nil)

    /// Writes bytes to standard output.
    ///
    /// - Throws: A ``Failure`` that names standard output and the reason.
    static func write(_ data: Data) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            throw outputFailure(SystemErrorText.text(for: error))
        }
    }

    private static func outputFailure(_ reason: String) -> Failure {
        Failure("cannot write standard output: \(reason)")
    }

    /// Throws a ``Failure`` if a line could not be written to standard output, for example because
    /// the disk is full.
    ///
    /// A failure is reported once.
    static func checkOutput() throws {
        let reason = lostOutput.withLock { reason in
            defer { reason = nil }
            return reason
        }
        if let reason { throw outputFailure(reason) }
    }
}
