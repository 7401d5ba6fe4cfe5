public import Foundation

/// Options for making an image from encoded bytes.
public struct ImageCreatingOptions: Equatable, Sendable {
    /// Pixels per point.
    public var scale: CGFloat
    /// The duration of one loop in seconds; 0 uses the delays in the file.
    public var duration: TimeInterval
    /// Whether all frames are decoded immediately.
    public var preloadAll: Bool
    /// Whether only the first frame is kept; overrides ``preloadAll``.
    public var onlyFirstFrame: Bool

    /// Makes options.
    ///
    /// - Parameters:
    ///   - scale: Pixels per point.
    ///   - duration: The duration of one loop in seconds; 0 uses the delays in the file.
    ///   - preloadAll: Whether all frames are decoded immediately.
    ///   - onlyFirstFrame: Whether only the first frame is kept.
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
