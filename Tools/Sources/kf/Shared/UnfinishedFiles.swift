import Dispatch
import Foundation
@_spi(Programs) import Kingfisher
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The temporary files being written, which are removed if the program is interrupted, and the
/// downloads, whose received parts are kept then.
final class UnfinishedFiles: Sendable {
    static let shared = UnfinishedFiles()

    private let paths = Mutex<Set<String>>([])
    private let downloaders = Mutex<[ObjectIdentifier: ImageDownloader]>([:])

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

    /// Removes all files and ends the program, without anything that waits for a thread.
    func end(status: Int32) -> Never {
        // Never unlocked: no file may be renamed from here on.
        paths.withLock { paths -> Never in
            for path in paths { unlink(path) }
            _exit(status)
        }
    }

    /// Adds a downloader whose downloads the next run continues.
    func add(_ downloader: ImageDownloader) {
        downloaders.withLock { $0[ObjectIdentifier(downloader)] = downloader }
    }

    private func keepDownloads() {
        let downloaders = downloaders.withLock { Array($0.values) }
        guard !downloaders.isEmpty else { return }
        let kept = DispatchSemaphore(value: 0)
        Task {
            for downloader in downloaders { await downloader.keepRunningDownloads() }
            kept.signal()
        }
        // A disk that hangs must not keep the program alive.
        _ = kept.wait(timeout: .now() + 2)
    }

    /// Removes the files before SIGINT, SIGTERM, SIGHUP or SIGQUIT ends the program.
    ///
    /// The program still ends by the signal, so that a shell stops its loop. Signals that are
    /// ignored on start, as with `nohup`, stay ignored.
    ///
    /// The handler only passes the signal's number to a thread that may lock and unlink. Blocking
    /// the signals and waiting for them does not work: libdispatch parks the main thread with all
    /// signals unblocked, so that they end the program there.
    func removeOnSignals() {
        var ends: [Int32] = [-1, -1]
        // Without a pipe or a thread, signals end the program at once, as usual.
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reading = ends[0]
        do throws(ThreadRefused) {
            try ThreadStarter.system("kf-signals") { [self] in
                var number: UInt8 = 0
                while read(reading, &number, 1) != 1 {
                    guard errno == EINTR else { return }
                }
                end(by: Int32(number))
            }
        } catch {
            for end in ends { close(end) }
            return
        }
        signalPipe.store(ends[1], ordering: .releasing)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !Self.isIgnored(number) {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = passOn
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }

    private func end(by number: Int32) {
        Terminal.showStatus("")
        keepDownloads()
        // Never unlocked: no file may be renamed from here on.
        paths.withLock { paths in
            for path in paths { unlink(path) }
            signal(number, SIG_DFL)
            // To this thread, which may have inherited a mask: a signal to the process may reach
            // another thread after `_exit`.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, number)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(number)
            _exit(128 + number)
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        // SIG_IGN is not a real function pointer: its value is 1.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}

/// The writing end of the pipe to the thread that removes the files.
private let signalPipe = Atomic<Int32>(-1)

/// Writes the number of a signal to the pipe; all that a signal handler may do.
private func passOn(_ number: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(signalPipe.load(ordering: .acquiring), &byte, 1)
    errno = code
}
