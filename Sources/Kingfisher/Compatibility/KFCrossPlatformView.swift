public import Foundation

/// A rectangle in a view hierarchy: the counterpart of `UIView`, without a display.
///
/// It suffices for code that adds placeholders and indicators to views, and for tests. The widgets
/// of a toolkit are not subclasses; they implement the image protocols themselves.
///
/// ```swift
/// let view = KFCrossPlatformView(frame: CGRect(x: 0, y: 0, width: 100, height: 80))
/// view.addSubview(KFCrossPlatformImageView(frame: view.bounds))
/// ```
@MainActor
open class KFCrossPlatformView {
    /// Position and size in the superview, in points.
    open var frame: CGRect {
        didSet {
            if frame.size != oldValue.size { layoutSubviews() }
        }
    }

    /// Whether the view and its subviews are hidden.
    open var isHidden = false

    /// Opacity, 0…1.
    open var alpha: CGFloat = 1

    /// The background colour, nil for none; not drawn without a toolkit.
    open var backgroundColor: KFCrossPlatformColor?

    /// The subviews, the frontmost last.
    public private(set) var subviews: [KFCrossPlatformView] = []

    /// The view that contains this one.
    public private(set) weak var superview: KFCrossPlatformView?

    /// Makes a view.
    public init(frame: CGRect = .zero) {
        self.frame = frame
    }

    /// The view's rectangle in its own coordinates.
    public var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }

    /// The centre of ``frame``.
    public var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set {
            frame.origin = CGPoint(
                x: newValue.x - frame.width / 2,
                y: newValue.y - frame.height / 2
            )
        }
    }

    /// The window that contains the view; a window contains itself.
    public var window: KFCrossPlatformWindow? {
        self as? KFCrossPlatformWindow ?? superview?.window
    }

    /// Adds a view in front of the other subviews; removes it from its previous superview.
    public func addSubview(_ view: KFCrossPlatformView) {
        precondition(!isInside(view), "a view cannot contain itself")
        let oldWindow = view.window
        view.superview?.subviews.removeAll { $0 === view }
        subviews.append(view)
        view.superview = self
        if view.window !== oldWindow { view.windowDidChange() }
    }

    /// Removes the view from its superview.
    public func removeFromSuperview() {
        guard let superview else { return }
        let oldWindow = window
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        if oldWindow != nil { windowDidChange() }
    }

    /// Called after the view was added to another window or removed from its window.
    open func didMoveToWindow() {}

    /// Called when the size has changed; override it to lay out subviews.
    open func layoutSubviews() {}

    private func windowDidChange() {
        didMoveToWindow()
        for view in subviews { view.windowDidChange() }
    }

    private func isInside(_ view: KFCrossPlatformView) -> Bool {
        self === view || superview?.isInside(view) == true
    }
}

extension KFCrossPlatformView: Hashable {
    /// Whether both are the same view.
    public nonisolated static func == (a: KFCrossPlatformView, b: KFCrossPlatformView) -> Bool {
        a === b
    }

    /// Hashes the identity of the view.
    public nonisolated func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The root of a visible view hierarchy: animated views play in a window.
///
/// ```swift
/// let window = KFCrossPlatformWindow()
/// window.addSubview(animatedView)
/// ```
open class KFCrossPlatformWindow: KFCrossPlatformView {}

/// A view with an image: the counterpart of `UIImageView`, without a display.
///
/// ```swift
/// let view = KFCrossPlatformImageView(frame: CGRect(x: 0, y: 0, width: 100, height: 80))
/// view.kf.setImage(with: url)
/// await view.kf.waitUntilLoaded()
/// ```
open class KFCrossPlatformImageView: KFCrossPlatformView, KingfisherCompatible {
    /// The current image.
    open var image: KFCrossPlatformImage?

    /// Whether the view is highlighted; not drawn without a toolkit.
    open var isHighlighted = false

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
    public init(image: KFCrossPlatformImage?) {
        self.image = image
        super.init(frame: CGRect(origin: .zero, size: image?.size ?? .zero))
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

/// A button with two images: the counterpart of `NSButton`, without a display.
///
/// ```swift
/// button.kf.setImage(with: url)
/// button.kf.setAlternateImage(with: pressedURL)
/// ```
open class KFCrossPlatformButton: KFCrossPlatformView, KingfisherHasImageComponent {
    /// The image of the button.
    open var image: KFCrossPlatformImage?

    /// The image of the button while it is pressed or on.
    open var alternateImage: KFCrossPlatformImage?

    /// Makes a button without images.
    public override init(frame: CGRect = .zero) {
        super.init(frame: frame)
    }
}
