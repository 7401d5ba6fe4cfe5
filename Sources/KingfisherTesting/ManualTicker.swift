public import Kingfisher

/// The pulse of an `AnimatedImageView` that a test beats by hand.
@MainActor
public final class ManualTicker: FrameTicker {
    private var beat: (@MainActor (Double) -> Void)?

    /// Makes a ticker that nobody listens to.
    public init() {}

    /// Whether a view wants to be told of time: whether it is playing.
    public var isRunning: Bool { beat != nil }

    /// Lets so many seconds pass; nothing happens while nobody listens.
    public func tick(_ seconds: Double) { beat?(seconds) }

    /// Takes the view's closure.
    public func start(_ tick: @escaping @MainActor (Double) -> Void) { beat = tick }

    /// Forgets it.
    public func stop() { beat = nil }
}
