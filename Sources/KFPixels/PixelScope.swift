import Synchronization

/// Tighter limits for the bitmaps allocated by one task, with a record of the first refused size.
///
/// The limits apply to everything that `run` calls on its own thread. Code that returns nil for a
/// bitmap it could not allocate therefore does not have to pass the reason on. Task-local, because
/// such code may be a user's processor or serializer.
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

    /// Runs `body` without the limits: decoders may need larger bitmaps than their result, and have
    /// limits of their own.
    ///
    /// - Throws: The error of `body`.
    package static func lifted<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard current != nil else { return try body() }
        return try $current.withValue(nil) { Swift.Result(catching: body) }.get()
    }

    /// Whether the current scope allows a bitmap of `size`.
    ///
    /// Records a refused size.
    package static func allows(_ size: PixelSize) -> Bool {
        guard let current, !current.allows(size) else { return true }
        refuse(size)
        return false
    }

    /// Checks that the current scope, if any, allows a bitmap of `size`.
    ///
    /// - Throws: ``PixelError/tooLarge(_:)``.
    static func check(_ size: PixelSize) throws(PixelError) {
        guard allows(size) else { throw .tooLarge(size) }
    }

    /// Records in the current scope that a bitmap of `size` was refused.
    package static func refuse(_ size: PixelSize) {
        current?.firstRefusal.withLock { $0 = $0 ?? size }
    }
}
