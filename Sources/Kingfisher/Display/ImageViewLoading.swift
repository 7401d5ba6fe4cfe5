import Foundation

/// The loading state of an image view: its binding, placeholder and indicator.
@MainActor
final class ImageViewLoading: ImageBindingTarget, ImageLoading {
    let binding = ImageBinding()
    // Weak, not unowned: the last reference to the view may be released on another thread
    // meanwhile.
    private weak var view: KFCrossPlatformImageView?
    private(set) var placeholder: (any Placeholder)?
    private(set) var indicator: (any Indicator)?

    init(_ view: KFCrossPlatformImageView) {
        self.view = view
    }

    func extended(_ options: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo {
        var options = options
        if view?.preloadsAllAnimationFrames == true { options.preloadAllAnimationData = true }
        return options
    }

    // MARK: Image and placeholder

    var shownImage: KFCrossPlatformImage? { view?.image }

    var showsPlaceholder: Bool { placeholder != nil }

    func showPlaceholder(_ content: (any Placeholder)?, options: KingfisherParsedOptionsInfo) {
        guard let view else { return }
        let old = placeholder
        // Released last, because the deinit of a placeholder may use the view.
        defer { withExtendedLifetime(old) {} }
        old?.remove(from: view)
        placeholder = content
        if let content {
            content.add(to: view)
        } else {
            view.image = nil
        }
    }

    func removePlaceholder() {
        let old = placeholder
        defer { withExtendedLifetime(old) {} }
        // An image placeholder is replaced by the new image; clearing it first would flicker.
        if let view, !(old is KFCrossPlatformImage) { old?.remove(from: view) }
        placeholder = nil
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        view?.image = image
    }

    func transition(
        to image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo,
        completion: @escaping @MainActor () -> Void
    ) {
        guard let view else { return completion() }
        removePlaceholder()
        view.setImage(image, transition: options.transition, completion: completion)
    }

    // MARK: Indicator

    var indicatorType = IndicatorType.none {
        didSet {
            let old = indicator
            defer { withExtendedLifetime(old) {} }
            old?.view.removeFromSuperview()
            indicator = indicatorType.makeIndicator()
            guard let indicator, let view else { return }
            indicator.view.isHidden = true
            view.addSubview(indicator.view)
            layoutIndicator()
        }
    }

    func loadDidStart() { indicator?.startAnimatingView() }

    func loadDidEnd() { indicator?.stopAnimatingView() }

    func layoutIndicator() {
        guard let indicator, let view else { return }
        switch indicator.sizeStrategy(in: view) {
        case .intrinsicSize: break
        case .full: indicator.view.frame.size = view.bounds.size
        case .size(let size): indicator.view.frame.size = size
        }
        indicator.view.center = CGPoint(
            x: view.bounds.midX + indicator.centerOffset.x,
            y: view.bounds.midY + indicator.centerOffset.y
        )
    }
}

extension KFCrossPlatformImageView: ImageDisplaying {
    /// The loads of the image, which end with the view.
    public var imageLoads: ImageLoads<any Placeholder> { ImageLoads(loading) }
}

@MainActor
extension KingfisherWrapper where Base: KFCrossPlatformImageView {
    /// The kind of indicator shown during loads; setting it replaces the current indicator.
    public var indicatorType: IndicatorType {
        get { base.loading.indicatorType }
        nonmutating set { base.loading.indicatorType = newValue }
    }

    /// The indicator; hidden while nothing is loading.
    public var indicator: (any Indicator)? { base.loading.indicator }

    /// The current placeholder.
    public var placeholder: (any Placeholder)? { base.loading.placeholder }
}
