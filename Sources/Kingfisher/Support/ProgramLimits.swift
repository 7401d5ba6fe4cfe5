internal import CKFSystemShim
import Dispatch
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The least that a program on top of the library needs of the system, checked when it starts.
///
/// Later nothing could report it: without threads libdispatch waits forever, and without
/// descriptors for its timers, or without `/proc`, it ends the process.
@_spi(Programs) public enum ProgramLimits {
    /// Threads that must be able to run at once beside those for each core.
    static let minThreads = 8
    /// Descriptors that must be free.
    static let minDescriptors = 32
    /// Bytes of the main thread's stack.
    static let minStack: UInt64 = 512 << 10
    /// Bytes of address space, most of it for stacks and the arenas of `malloc`.
    static let minAddressSpace: UInt64 = 1 << 30

    /// Raises the soft limit of descriptors to the hard one, tries whether there is enough of
    /// everything, and lets writes beyond the limit of file sizes fail without a signal.
    ///
    /// Takes half a millisecond on a machine with few cores. Call it at the beginning of `main`, after
    /// ``ProcessIsolation/runWorkerIfAsked()`` and before anything asynchronous.
    ///
    /// - Parameter threadsPerCore: How many threads the program has for each core: one in
    ///   libdispatch's pool, and those of other libraries.
    /// - Throws: ``UnfitSystem``.
    @_spi(Programs) public static func prepare(threadsPerCore: Int = 1) throws(UnfitSystem) {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        try prepare(minThreads: minThreads + threadsPerCore * cores, .system)
    }

    /// As above, with a number of threads, and with the place where the files of processes are mounted.
    static func prepare(
        minThreads: Int,
        _ threads: ThreadStarter,
        processes: String = "/proc"
    ) throws(UnfitSystem) {
        guard access("\(processes)/self/stat", R_OK) == 0 else { throw .noProcessFiles }
        let memory = kf_address_space_limit()
        guard memory >= minAddressSpace else {
            throw .lowLimit(
                what: "bytes of address space",
                found: memory,
                needed: minAddressSpace,
                limit: "the limit of memory (ulimit -v, LimitAS of systemd)"
            )
        }
        let stack = kf_stacks_raise(ThreadStarter.usualStack)
        guard stack >= minStack else {
            throw .lowLimit(
                what: "bytes of stack",
                found: stack,
                needed: minStack,
                limit: "the limit of stacks (ulimit -s, LimitSTACK of systemd)"
            )
        }
        kf_file_size_report()
        kf_descriptors_raise()
        let descriptors = kf_descriptors_free(Int32(minDescriptors))
        guard descriptors >= minDescriptors else {
            throw .lowLimit(
                what: "further open files",
                found: UInt64(clamping: descriptors),
                needed: UInt64(minDescriptors),
                limit: "the limit of open files (ulimit -n, LimitNOFILE of systemd)"
            )
        }
        let count = threadCount(atMost: minThreads, threads)
        guard count >= minThreads else {
            throw .lowLimit(
                what: "further threads",
                found: UInt64(count),
                needed: UInt64(minThreads),
                limit: ThreadRefused.limits
            )
        }
    }

    /// How many threads can run at once, by starting them.
    private static func threadCount(atMost most: Int, _ threads: ThreadStarter) -> Int {
        let (end, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var count = 0
        do throws(ThreadRefused) {
            while count < most {
                try threads("kf-trial") {
                    end.wait()
                    ended.signal()
                }
                count += 1
            }
        } catch {
            // The number of those that were started is the result.
        }
        for _ in 0..<count { end.signal() }
        for _ in 0..<count { ended.wait() }
        return count
    }
}

/// The system has too little for the program.
@_spi(Programs) public enum UnfitSystem: Error, Equatable, CustomStringConvertible {
    case lowLimit(what: String, found: UInt64, needed: UInt64, limit: String)
    /// `/proc` is missing. Once per second libdispatch reads there which threads of a full pool run,
    /// and ends the process by `SIGILL` if it cannot. Workers read their size there.
    case noProcessFiles

    /// What is missing, and what to do.
    @_spi(Programs) public var description: String {
        switch self {
        case .lowLimit(let what, let found, let needed, let limit):
            "the system allows \(found) \(what), and at least \(needed) are needed; raise \(limit)"
        case .noProcessFiles:
            "/proc is not mounted, and the runtime of Swift reads the states of threads there; "
                + "mount it (mount -t proc proc /proc, bwrap --proc /proc)"
        }
    }
}
