import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files that are being written aside, so that an interrupted program leaves none behind.
final class UnfinishedFiles: Sendable {
    static let shared = UnfinishedFiles()

    private let paths = Mutex<Set<String>>([])

    /// Makes a file by `mkstemp`, whose template becomes its path.
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

    /// Gives a file its name by `rename`; a signal waits for that.
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

    /// Has Ctrl-C, and the other signals that end a program, remove the files first.
    ///
    /// The program ends by the signal all the same, so that a shell stops its loop too. A signal
    /// that the caller has the program ignore, as `nohup` does, stays ignored.
    ///
    /// To be called before there are threads: those made later inherit which signals they leave to
    /// the one that waits here.
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
            // Never unlocked: no file may get its name from here on.
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
        // SIG_IGN is a function pointer in name alone: the number 1.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
