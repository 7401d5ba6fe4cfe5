/// A widget that shows one image, which a ``ViewLoader`` loads in the size of the widget.
///
/// A binding for a toolkit conforms once, in place of ``KingfisherImageSettable``, if its widgets
/// know their size and visibility. The loader asks for both when it starts a load; the binding reports
/// changes by ``ViewLoader/startPending(hasWaited:)``, ``ViewLoader/widgetDidAppear()``,
/// ``ViewLoader/widgetDidDisappear()`` and ``ViewLoader/reloadIfNeeded()``.
@MainActor
public protocol ImageWidget: ImageBindingTarget where PlaceholderContent == KFCrossPlatformImage {
    /// The size to decode to; nil before the layout has given the widget one.
    var decodeBox: DecodeBox? { get }

    /// The size to decode to if a load cannot wait for the layout; ``decodeBox`` by default.
    ///
    /// Nil decodes to the size of the file.
    var likelyBox: DecodeBox? { get }

    /// The screen's pixels per logical pixel; 1 by default.
    var density: Double { get }

    /// Whether the widget is on screen, and not scrolled away.
    var isInSight: Bool { get }

    /// Whether the widget is in a window; true by default. Outside of windows no load waits longer
    /// than an iteration of the main loop.
    var isInWindow: Bool { get }

    /// Whether the widget is in another widget; true by default.
    var hasParent: Bool { get }

    /// Whether the widget is in a row of a list, most of which are not on screen; false by default.
    var isInList: Bool { get }

    /// Whether the widget still exists; true by default, and false for an object that outlives its
    /// widget.
    var isAlive: Bool { get }

    /// Runs code that may call the program, and keeps the widget meanwhile.
    func keeping<Result>(_ body: () -> Result) -> Result

    /// A load waits for the size or visibility: calls ``ViewLoader/startPending(hasWaited:)`` after
    /// the next layout, even if nothing has changed. Does nothing by default.
    func requestLayout()

    /// A waiting load needs frames while the widget is on screen, or no longer does; does nothing by
    /// default.
    func setNeedsFrames(_ needsFrames: Bool)

    /// A load starts; ``ImageBindingTarget/loadDidEnd()`` is called for each start. Does nothing by
    /// default.
    func loadWillStart()

    /// The current load has failed, or another one follows the failed one; does nothing by default.
    func failureDidChange(to error: KingfisherError?)

    /// Completes a running transition; does nothing by default.
    func finishTransition()

    /// Releases the image while the widget is off screen, and keeps its place in the layout; shows
    /// nothing by default.
    func releaseImage()
}

extension ImageWidget {
    /// ``decodeBox``.
    public var likelyBox: DecodeBox? { decodeBox }

    /// 1.
    public var density: Double { 1 }

    /// True.
    public var isInWindow: Bool { true }

    /// True.
    public var hasParent: Bool { true }

    /// False.
    public var isInList: Bool { false }

    /// True.
    public var isAlive: Bool { true }

    /// Keeps the object.
    public func keeping<Result>(_ body: () -> Result) -> Result {
        withExtendedLifetime(self) { body() }
    }

    /// Does nothing.
    public func requestLayout() {}

    /// Does nothing.
    public func setNeedsFrames(_ needsFrames: Bool) {}

    /// Does nothing.
    public func loadWillStart() {}

    /// Does nothing.
    public func failureDidChange(to error: KingfisherError?) {}

    /// Does nothing.
    public func finishTransition() {}

    /// Shows nothing.
    public func releaseImage() { show(nil, options: KingfisherParsedOptionsInfo(nil)) }
}
