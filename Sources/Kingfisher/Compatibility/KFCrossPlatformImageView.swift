public import Foundation

/// A view with an image: the counterpart of `UIImageView`, without a display.
open class KFCrossPlatformImageView: KFCrossPlatformView, KingfisherCompatible {
    /// The current image.
    open var image: KFCrossPlatformImage?

    /// The loading state of this view.
    private(set) lazy var loading = ImageViewLoading(self)

    /// Whether all frames of animations must be decoded immediately, because the view cannot decode
    /// on demand.
    var preloadsAllAnimationFrames: Bool { true }

    /// Makes a view without an image.
    public override init(frame: CGRect = .zero) {
        super.init(frame: frame)
    }

    /// Makes a view of the size of an image.
    public convenience init(image: KFCrossPlatformImage?) {
        self.init(frame: CGRect(origin: .zero, size: image?.size ?? .zero))
        self.image = image
    }

    /// Shows a newly loaded image with a transition; override it to animate.
    ///
    /// - Parameters:
    ///   - image: The image to show.
    ///   - transition: The transition from the options.
    ///   - completion: Must be called once when the transition is complete; the load's completion
    ///     waits for it.
    open func setImage(
        _ image: KFCrossPlatformImage,
        transition: ImageTransition,
        completion: @escaping @MainActor () -> Void
    ) {
        self.image = image
        completion()
    }

    /// Lays out the indicator.
    open override func layoutSubviews() {
        super.layoutSubviews()
        loading.layoutIndicator()
    }
}
