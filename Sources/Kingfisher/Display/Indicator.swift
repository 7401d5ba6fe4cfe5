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

/// How large an indicator is.
public enum IndicatorSizeStrategy {
    /// As its view is.
    case intrinsicSize
    /// As the image view is.
    case full
    /// A size in points.
    case size(CGSize)
}

/// The indicator of an image view.
public enum IndicatorType {
    /// None.
    case none
    /// The toolkit's own; without a toolkit a view that is visible while something loads.
    case activity
    /// A picture, which may be animated.
    case image(imageData: Data)
    /// One of the caller's.
    case custom(indicator: any Indicator)
}

extension IndicatorType {
    /// A new indicator; nil for none.
    @MainActor
    func makeIndicator() -> (any Indicator)? {
        switch self {
        case .none: nil
        case .activity: CountingIndicator(view: IndicatorView())
        case .image(let data): CountingIndicator(imageData: data)
        case .custom(let indicator): indicator
        }
    }
}

/// A view that is visible while at least one load runs.
@MainActor
final class CountingIndicator: Indicator {
    let view: IndicatorView
    private var running = 0

    init(view: IndicatorView) {
        self.view = view
        view.isHidden = true
    }

    /// Shows a picture, animated if its data are; an empty view when it cannot be decoded.
    convenience init(imageData: Data) {
        let options = ImageCreatingOptions(preloadAll: true)
        let image = KingfisherWrapper<KFCrossPlatformImage>.image(data: imageData, options: options)
        let imageView = KFCrossPlatformImageView(
            frame: CGRect(origin: .zero, size: image?.size ?? .zero)
        )
        imageView.image = image
        self.init(view: imageView)
    }

    func startAnimatingView() {
        running += 1
        view.isHidden = false
    }

    func stopAnimatingView() {
        running = max(0, running - 1)
        view.isHidden = running == 0
    }

    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
        .intrinsicSize
    }
}
