/// Changes an image at the last moment before it is delivered; the change is not cached.
public protocol ImageModifier: Sendable {
    /// Gives the changed image.
    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage
}

/// An image modifier made of a closure.
public struct AnyImageModifier: ImageModifier {
    private let closure: @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage

    /// Makes a modifier.
    public init(
        modify: @escaping @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage
    ) {
        closure = modify
    }

    /// Runs the closure; gives the image unchanged when it throws.
    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        // The contract of this type: a failing modifier changes nothing.
        (try? closure(image)) ?? image
    }
}
