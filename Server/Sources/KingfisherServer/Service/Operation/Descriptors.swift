#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The share of the process's file descriptors that connections of clients may take.
///
/// The rest is for sources, files, workers and the runtime, which end the process or the request if
/// they get none.
enum Descriptors {
    /// The most connections of clients.
    ///
    /// - Parameters:
    ///   - limit: The most descriptors of the process.
    ///   - open: Those that are open before the first client.
    ///   - loads: The most sources that are loaded at once; each may take a connection, which the
    ///     transport keeps for a while, and an unnamed file.
    /// - Returns: The number; a quarter of the free descriptors if there are too few for all.
    static func clients(limit: Int, open: Int, loads: Int) -> Int {
        let free = max(0, limit - open - 8)
        let (others, overflows) = loads.multipliedReportingOverflow(by: 3)
        return max(1, overflows ? free / 4 : max(free / 4, free - others - 32))
    }

    /// The most connections of clients of this process now.
    static func clients(loads: Int) -> Int {
        var limit = rlimit()
        // It fails only for a resource that does not exist.
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
        let most = Int(clamping: limit.rlim_cur)
        return clients(limit: most, open: ProcessFigures.openFiles ?? 64, loads: loads)
    }
}
