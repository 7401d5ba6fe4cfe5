/// Is notified of the progress of a view's animation.
public protocol AnimatedImageViewDelegate: AnyObject {
    /// Called after each loop.
    ///
    /// - Parameters:
    ///   - imageView: The view.
    ///   - count: The number of completed loops.
    func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt)

    /// Called when the last loop has ended.
    func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView)
}

extension AnimatedImageViewDelegate {
    /// Does nothing; see ``animatedImageView(_:didPlayAnimationLoops:)-(AnimatedImageView,UInt)``.
    public func animatedImageView(
        _ imageView: AnimatedImageView,
        didPlayAnimationLoops count: UInt
    ) {}

    /// Does nothing.
    public func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {}
}
