internal import CKFSystemShim
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Starts threads and reports a refusal, which Foundation's `Thread` hides.
///
/// A refusal concerns only the requests that need the thread: they fail with ``ThreadRefused``, and
/// the next request tries again. `LayeringTests` keeps every other way to start a thread out of the
/// sources.
///
/// libdispatch, on which Swift's concurrency runs, starts its threads itself. If one is refused, it
/// tries again once per second and blocks its caller meanwhile: work is late, and nothing runs
/// while the limit stays below what ``ProgramLimits`` asks for.
@_spi(Programs) public struct ThreadStarter: Sendable {
    /// The bytes of a stack on which code of other libraries and of programs may run.
    ///
    /// Not the system's default: that is what `ulimit -s` says, which may be a few kilobytes.
    static let usualStack = 2 << 20

    /// Starts a thread of a name, with a stack of a size or the usual one.
    @_spi(Programs) public typealias Start =
        @Sendable (
            _ name: String, _ stackBytes: Int?, _ body: @escaping @Sendable () -> Void
        ) throws(ThreadRefused) -> Void

    /// The system.
    @_spi(Programs) public static let system = ThreadStarter(start: startDetached)

    private let start: Start

    /// Makes a starter that a test controls.
    @_spi(Programs) public init(start: @escaping Start) { self.start = start }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: Shown by debuggers; its first 15 bytes.
    ///   - stackBytes: The size of the stack; nil for ``usualStack``.
    ///   - body: Run on the thread, which then ends.
    /// - Throws: ``ThreadRefused`` if the system has no thread left; `body` is released.
    @_spi(Programs) public func callAsFunction(
        _ name: String,
        stackBytes: Int? = nil,
        _ body: @escaping @Sendable () -> Void
    ) throws(ThreadRefused) {
        try start(name, stackBytes, body)
    }

    private static func startDetached(
        _ name: String,
        _ stackBytes: Int?,
        _ body: @escaping @Sendable () -> Void
    ) throws(ThreadRefused) {
        let work = Unmanaged.passRetained(ThreadWork(body: body))
        let code = kf_thread_start(name, stackBytes ?? usualStack, runWork, work.toOpaque())
        guard code == 0 else {
            work.release()
            throw ThreadRefused(code: code)
        }
    }
}

/// The system refused a thread.
@_spi(Programs) public struct ThreadRefused: Error, Equatable, CustomStringConvertible {
    /// The error number of `pthread_create`.
    @_spi(Programs) public let code: Int32

    /// Makes the error of an error number.
    @_spi(Programs) public init(code: Int32) { self.code = code }

    /// The limits that can be the reason, with what sets them.
    @_spi(Programs) public static let limits =
        "the limit of processes (ulimit -u, TasksMax of systemd, pids.max of the control group) or "
        + "of memory (ulimit -v)"

    /// The reason, and what to do.
    @_spi(Programs) public var description: String {
        "the system refused a thread (\(String(cString: strerror(code)))); raise \(Self.limits)"
    }
}

private final class ThreadWork: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runWork(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue().body()
}
