private import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Splits rows into one band per core if there is enough work.
package enum RowBands {
    /// Pixels per band below which another thread costs more than it saves.
    static let leastWork = 1 << 18

    private static let cores = Atomic(max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))

    /// Does all further work on the caller's thread, for processes that must not start threads.
    package static func useOneThread() { cores.store(1, ordering: .relaxed) }

    /// Calls `body` for bands that together cover `0..<rows`, concurrently if that is faster.
    ///
    /// Returns when all bands are done. The bands must not write to each other's rows.
    ///
    /// - Parameters:
    ///   - rows: The number of rows to split.
    ///   - work: Pixels to read and write in total.
    ///   - body: Receives the rows of its band.
    /// - Throws: The first error of a band.
    static func run<Failure: Error>(
        rows: Int,
        work: Int,
        _ body: (Range<Int>) throws(Failure) -> Void
    ) throws(Failure) {
        let bands = min(cores.load(ordering: .relaxed), rows, work / leastWork)
        guard bands > 1 else { return try body(0..<rows) }
        let failure = Mutex<Failure?>(nil)
        withoutActuallyEscaping(body) { body in
            let shared = BandBody(run: body)
            DispatchQueue.concurrentPerform(iterations: bands) { band in
                do throws(Failure) {
                    try shared.run((rows * band / bands)..<(rows * (band + 1) / bands))
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

/// `@unchecked`: kernels capture pointers, which are not `Sendable`.
///
/// Each band writes its own rows, and all bands are done before the call that owns the pointers
/// returns.
private struct BandBody<Failure: Error>: @unchecked Sendable {
    let run: (Range<Int>) throws(Failure) -> Void
}
