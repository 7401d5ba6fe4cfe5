import Synchronization

/// Tighter bounds on the bitmaps that one piece of work may allocate, and a note of what they
/// refused.
///
/// Everything that `run` calls on its own thread is held to the bounds, so that code that only
/// returns nil for a bitmap it could not make does not have to carry the reason.
package final class PixelScope: Sendable {
    @TaskLocal private static var current: PixelScope?

    private let maxPixelCount: Int
    private let maxDimension: Int
    private let firstRefusal = Mutex<PixelSize?>(nil)

    package init(maxPixelCount: Int, maxDimension: Int) {
        self.maxPixelCount = maxPixelCount
        self.maxDimension = maxDimension
    }

    /// The first size that was refused.
    package var refused: PixelSize? { firstRefusal.withLock { $0 } }

    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$current.withValue(self, operation: body)
    }

    package func allows(_ size: PixelSize) -> Bool {
        guard size.longestSide <= maxDimension, let count = size.pixelCount else { return false }
        return count <= maxPixelCount
    }

    /// Runs `body` without the bounds: decoders may need larger bitmaps than their result, and have
    /// limits of their own.
    package static func lifted<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard current != nil else { return try body() }
        return try $current.withValue(nil) { Swift.Result(catching: body) }.get()
    }

    /// Whether the running scope allows a bitmap of `size`; one that it does not is noted.
    package static func allows(_ size: PixelSize) -> Bool {
        guard let current, !current.allows(size) else { return true }
        refuse(size)
        return false
    }

    /// Makes sure that the running scope, if there is one, allows a bitmap of `size`.
    static func check(_ size: PixelSize) throws(PixelError) {
        guard allows(size) else { throw .tooLarge(size) }
    }

    /// Notes in the running scope that a bitmap of `size` is not made.
    package static func refuse(_ size: PixelSize) {
        current?.firstRefusal.withLock { $0 = $0 ?? size }
    }
}
