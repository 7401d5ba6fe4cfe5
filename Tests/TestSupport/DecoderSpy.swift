#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The spy that `Scripts/isolation.sh` preloads: it ends the process when a decoder of a C library is
/// opened outside of a worker.
package enum DecoderSpy {
    private typealias Function = @convention(c) @Sendable () -> Void

    private static let permit = function("kf_spy_permit")
    private static let forbid = function("kf_spy_forbid")

    package static var isLoaded: Bool { permit != nil }

    /// Lets a test decode on its own thread, for a result to compare with.
    package static func permitting<Result>(_ body: () throws -> Result) rethrows -> Result {
        permit?()
        defer { forbid?() }
        return try body()
    }

    private static func function(_ name: String) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
}
