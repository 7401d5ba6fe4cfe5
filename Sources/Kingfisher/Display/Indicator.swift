public import Foundation

/// The type of an indicator's view.
public typealias IndicatorView = KFCrossPlatformView

/// Shows that an image is loading.
@MainActor
public protocol Indicator: Sendable {
    /// Called when a load begins; calls nest.
    func startAnimatingView()

    /// Called when a load has ended, once for every start.
    func stopAnimatingView()

    /// The distance of its centre from the image view's centre, in points.
    var centerOffset: CGPoint { get }

    /// What is added to the image view.
    var view: IndicatorView { get }

    /// How large it is on an image view.
    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy
}

extension Indicator {
    /// Zero: in the middle.
    public var centerOffset: CGPoint { .zero }

    /// As large as the image view.
    public func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
        .full
    }
}
