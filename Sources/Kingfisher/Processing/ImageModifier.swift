/// Changes an image just before it is delivered; the change is not cached.
public protocol ImageModifier: Sendable {
    /// Returns the changed image.
    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage
}

/// An image modifier that runs a closure.
public struct AnyImageModifier: ImageModifier {
    private let closure: @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage

    /// Makes a modifier.
    public init(
        modify: @escaping @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage
    ) {
        closure = modify
    }

    /// Runs the closure; returns the unchanged image if it throws.
    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        // By contract a failing modifier changes nothing.
        (try? closure(image)) ?? image
    }
}
