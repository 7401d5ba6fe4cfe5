public import Kingfisher

/// A ticker for an `AnimatedImageView` that the test controls.
///
/// ```swift
/// let ticker = ManualTicker()
/// let view = AnimatedImageView(frame: .zero, ticker: ticker)
/// ticker.tick(0.1)
/// ```
@MainActor
public final class ManualTicker: FrameTicker {
    private var beat: (@MainActor (Double) -> Void)?

    /// Makes a stopped ticker.
    public init() {}

    /// Whether a view uses the ticker, that is, whether it is playing.
    public var isRunning: Bool { beat != nil }

    /// Reports elapsed seconds to the view; no effect while stopped.
    public func tick(_ seconds: Double) { beat?(seconds) }

    /// Stores the view's closure.
    public func start(_ tick: @escaping @MainActor (Double) -> Void) { beat = tick }

    /// Releases the view's closure.
    public func stop() { beat = nil }
}
