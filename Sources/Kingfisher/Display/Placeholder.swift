public import Foundation

/// A view or image that an image view shows during a load.
public protocol Placeholder {
    /// Shows the placeholder on an image view.
    @MainActor
    func add(to imageView: KFCrossPlatformImageView)

    /// Removes the placeholder from an image view.
    @MainActor
    func remove(from imageView: KFCrossPlatformImageView)
}

@MainActor
extension KFCrossPlatformImage: Placeholder {
    /// Sets the image as the view's image.
    public func add(to imageView: KFCrossPlatformImageView) {
        imageView.image = self
    }

    /// Clears the view's image.
    public func remove(from imageView: KFCrossPlatformImageView) {
        imageView.image = nil
    }

    /// Sets the image as the object's image.
    public func add(to base: any KingfisherHasImageComponent) {
        base.image = self
    }

    /// Clears the object's image.
    public func remove(from base: any KingfisherHasImageComponent) {
        base.image = nil
    }
}

@MainActor
extension Placeholder where Self: KFCrossPlatformView {
    /// Adds this view on top of the image view at the same size; the view's image is kept.
    public func add(to imageView: KFCrossPlatformImageView) {
        frame = imageView.bounds
        imageView.addSubview(self)
    }

    /// Removes this view from the image view.
    public func remove(from imageView: KFCrossPlatformImageView) {
        removeFromSuperview()
    }
}

/// The type of an indicator's view.
public typealias IndicatorView = KFCrossPlatformView

/// Shows that an image is loading.
@MainActor
public protocol Indicator: Sendable {
    /// Called when a load starts. Calls may overlap; see ``stopAnimatingView()``.
    func startAnimatingView()

    /// Called when a load has ended, once for each start.
    func stopAnimatingView()

    /// The offset of the indicator's centre from the image view's centre, in points.
    var centerOffset: CGPoint { get }

    /// The view that is added to the image view.
    var view: IndicatorView { get }

    /// The size of the indicator on an image view.
    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy
}

extension Indicator {
    /// Zero: centred.
    public var centerOffset: CGPoint { .zero }

    /// The size of the image view.
    public func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy {
        .full
    }
}

/// The size of an indicator.
public enum IndicatorSizeStrategy {
    /// The size of the indicator's view.
    case intrinsicSize
    /// The size of the image view.
    case full
    /// A size in points.
    case size(CGSize)
}

/// The kind of an image view's indicator.
public enum IndicatorType {
    /// None.
    case none
    /// The toolkit's own indicator; without a toolkit, a view that is visible during loads.
    case activity
    /// An image, which may be animated.
    case image(imageData: Data)
    /// A custom indicator.
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

    /// Shows an image, animated if the data are; an empty view if they cannot be decoded.
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
