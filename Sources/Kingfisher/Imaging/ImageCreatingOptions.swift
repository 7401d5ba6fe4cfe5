public import Foundation

/// How to make an image from encoded bytes.
public struct ImageCreatingOptions: Equatable, Sendable {
    /// Pixels per point.
    public var scale: CGFloat
    /// Seconds that one round of an animation takes; 0 takes the delays of the data.
    public var duration: TimeInterval
    /// Whether every frame is decoded at once.
    public var preloadAll: Bool
    /// Whether only the first frame is kept; wins over ``preloadAll``.
    public var onlyFirstFrame: Bool

    /// Makes options.
    public init(
        scale: CGFloat = 1.0,
        duration: TimeInterval = 0.0,
        preloadAll: Bool = false,
        onlyFirstFrame: Bool = false
    ) {
        self.scale = scale
        self.duration = duration
        self.preloadAll = preloadAll
        self.onlyFirstFrame = onlyFirstFrame
    }
}
