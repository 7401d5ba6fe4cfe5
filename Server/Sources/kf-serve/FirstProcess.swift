import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Process 1 of a container.
///
/// The kernel makes it the parent of every process whose own parent ends, such as those of health
/// checks, and each of them remains a zombie until it is waited for. The service waits only for its
/// own workers, so it runs in a child.
enum FirstProcess {
    private static let passedSignals = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    /// Starts the service and ends with its status, if this is process 1; otherwise returns at once.
    static func runServiceIfFirst() {
        guard getpid() == 1 else { return }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in passedSignals + [SIGCHLD] { sigaddset(&signals, number) }
        // Signals that are not blocked would be lost: process 1 ignores those without a handler.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard let service = start() else {
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            return
        }
        // Those that ended before; their signals are gone.
        reap(service)
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            if number == SIGCHLD { reap(service) } else { kill(service, number) }
        }
    }

    /// Starts this program again without blocked signals; nil if that fails.
    private static func start() -> pid_t? {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") }
        defer { for variable in variables { free(variable) } }
        // By its own name, which lists of processes then show.
        let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let program = access(path, X_OK) == 0 ? path : "/proc/self/exe"
        var process: pid_t = 0
        let failure = posix_spawn(
            &process,
            program,
            nil,
            &attributes,
            CommandLine.unsafeArgv,
            variables + [nil]
        )
        return failure == 0 ? process : nil
    }

    /// Waits for all processes that have ended, and ends with the service.
    private static func reap(_ service: pid_t) {
        var status: Int32 = 0
        while true {
            let process = waitpid(-1, &status, WNOHANG)
            guard process > 0 else { return }
            guard process == service else { continue }
            let signal = status & 0x7F
            // As a shell shows it.
            exit(signal == 0 ? status >> 8 & 0xFF : 128 + signal)
        }
    }
}
