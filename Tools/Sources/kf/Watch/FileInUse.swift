import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Finds out whether a file is complete.
enum FileInUse {
    /// `F_SETLEASE` of `fcntl.h`, which is not visible to Swift.
    private static let setLease: Int32 = 1024

    /// Ignores the signal for a lease that another program breaks: it would end this one.
    private static let ignoresBreaks: Void = { _ = signal(SIGIO, SIG_IGN) }()

    /// Whether a program has a file open for writing.
    ///
    /// Linux grants a lease for reading only if none has. False where it grants none at all: for
    /// files of other users, and on file systems of other machines.
    static func isBeingWritten(_ path: String) -> Bool {
        ignoresBreaks
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // Reading it reports the error.
        guard file >= 0 else { return false }
        // Which also ends the lease.
        defer { close(file) }
        return fcntl(file, setLease, Int32(F_RDLCK)) != 0 && errno == EAGAIN
    }
}
