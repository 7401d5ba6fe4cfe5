public import Foundation

/// A rectangle in a tree of rectangles: what `UIView` is on Apple's platforms, without a screen.
///
/// Enough for code that hangs placeholders and indicators into views, and for tests. A toolkit's
/// widgets do not descend from it; they are targets of their own.
@MainActor
open class KFCrossPlatformView {
    /// Position and size in the superview, in points.
    open var frame: CGRect {
        didSet {
            if frame.size != oldValue.size { layoutSubviews() }
        }
    }

    /// Whether the view and what is in it are not shown.
    open var isHidden = false

    /// Opacity, 0…1.
    open var alpha: CGFloat = 1

    /// The colour behind the view's content, nil for none; nothing draws it without a toolkit.
    open var backgroundColor: KFCrossPlatformColor?

    /// The views in this one, the frontmost last.
    public private(set) var subviews: [KFCrossPlatformView] = []

    /// The view that this one is in.
    public private(set) weak var superview: KFCrossPlatformView?

    /// Makes a view.
    public init(frame: CGRect = .zero) {
        self.frame = frame
    }

    /// The view's rectangle in its own coordinates.
    public var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }

    /// The middle of ``frame``.
    public var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set {
            frame.origin = CGPoint(
                x: newValue.x - frame.width / 2,
                y: newValue.y - frame.height / 2
            )
        }
    }

    /// The window that the view is in; a window is in itself.
    public var window: KFCrossPlatformWindow? {
        self as? KFCrossPlatformWindow ?? superview?.window
    }

    /// Puts a view in front of the others in this one, and takes it from where it was.
    public func addSubview(_ view: KFCrossPlatformView) {
        precondition(!isInside(view), "a view cannot contain itself")
        let oldWindow = view.window
        view.superview?.subviews.removeAll { $0 === view }
        subviews.append(view)
        view.superview = self
        if view.window !== oldWindow { view.windowDidChange() }
    }

    /// Takes the view from where it is.
    public func removeFromSuperview() {
        guard let superview else { return }
        let oldWindow = window
        superview.subviews.removeAll { $0 === self }
        self.superview = nil
        if oldWindow != nil { windowDidChange() }
    }

    /// Called when the view was put into another window or taken from its window.
    open func didMoveToWindow() {}

    /// Called when the size has changed; override it to place subviews.
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

/// The root of a tree of views that counts as shown: animated views play in a window.
open class KFCrossPlatformWindow: KFCrossPlatformView {}
