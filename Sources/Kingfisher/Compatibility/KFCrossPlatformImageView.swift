public import Foundation

/// A view with an image: what `UIImageView` is on Apple's platforms, without a screen.
open class KFCrossPlatformImageView: KFCrossPlatformView, KingfisherCompatible {
    /// The image that is shown.
    open var image: KFCrossPlatformImage?

    /// What loads into this view.
    private(set) lazy var loading = ImageViewLoading(self)

    /// Whether animations are to be decoded at once, because the view cannot decode on demand.
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

    /// Shows a freshly loaded image by a transition; override it to animate.
    ///
    /// - Parameters:
    ///   - image: The image to show in the end.
    ///   - transition: What the options ask for.
    ///   - completion: To be called once when the image is wholly there. The load's completion
    ///     waits for it.
    open func setImage(
        _ image: KFCrossPlatformImage,
        transition: ImageTransition,
        completion: @escaping @MainActor () -> Void
    ) {
        self.image = image
        completion()
    }

    /// Places the indicator.
    open override func layoutSubviews() {
        super.layoutSubviews()
        loading.layoutIndicator()
    }
}
