import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The temporary files being written, which are removed if the program is interrupted.
final class UnfinishedFiles: Sendable {
    static let shared = UnfinishedFiles()

    private let paths = Mutex<Set<String>>([])

    /// Creates a file with `mkstemp`, which turns the template into its path.
    ///
    /// - Returns: Its descriptor, or -1 and the system's error number.
    func make(_ template: inout [CChar]) -> (file: Int32, code: Int32) {
        paths.withLock { paths in
            let file = mkstemp(&template)
            guard file >= 0 else { return (file, errno) }
            let path = template.dropLast().map { UInt8(bitPattern: $0) }
            paths.insert(String(decoding: path, as: UTF8.self))
            return (file, 0)
        }
    }

    /// Renames a file to its final name; a signal waits until that is done.
    func finish(_ path: String, _ rename: () throws -> Void) throws {
        try paths.withLock { paths in
            try rename()
            paths.remove(path)
        }
    }

    func remove(_ path: String) {
        paths.withLock { paths in
            if paths.remove(path) != nil { unlink(path) }
        }
    }

    /// Removes the files before SIGINT, SIGTERM or SIGHUP ends the program.
    ///
    /// The program still ends by the signal, so that a shell stops its loop. Signals that are
    /// ignored on start, as with `nohup`, stay ignored.
    ///
    /// Call it before any thread is started: threads inherit the signal mask, which leaves these
    /// signals to the thread that waits here.
    func removeOnSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) {
            sigaddset(&signals, number)
        }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let waited = signals
        Thread.detachNewThread { [self] in
            var signals = waited
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { return }
            Terminal.showStatus("")
            // Never unlocked: no file may be renamed from here on.
            paths.withLock { paths in
                for path in paths { unlink(path) }
                signal(number, SIG_DFL)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                kill(getpid(), number)
                _exit(128 + number)
            }
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        // SIG_IGN is not a real function pointer: its value is 1.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
