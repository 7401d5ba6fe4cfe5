/// Is told how the animation of a view goes on.
public protocol AnimatedImageViewDelegate: AnyObject {
    /// A round is over.
    func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt)

    /// The last round is over.
    func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView)
}

extension AnimatedImageViewDelegate {
    /// Does nothing.
    public func animatedImageView(
        _ imageView: AnimatedImageView,
        didPlayAnimationLoops count: UInt
    ) {}

    /// Does nothing.
    public func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {}
}
