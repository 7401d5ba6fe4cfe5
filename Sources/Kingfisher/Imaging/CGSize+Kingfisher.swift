public import Foundation

extension CGSize: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == CGSize {
    /// Returns the size of an image of this size after fitting it into a target.
    ///
    /// - Parameters:
    ///   - size: The size of the target.
    ///   - contentMode: How the image is fitted.
    /// - Returns: The resulting size, in the unit of `size`.
    public func resize(to size: CGSize, for contentMode: ContentMode) -> CGSize {
        switch contentMode {
        case .none: size
        case .aspectFit: constrained(size)
        case .aspectFill: filling(size)
        }
    }

    /// The largest size with this aspect ratio that fits inside `size`.
    public func constrained(_ size: CGSize) -> CGSize {
        let width = (ratio * size.height).rounded()
        let height = (size.width / ratio).rounded()
        return width > size.width
            ? CGSize(width: size.width, height: height)
            : CGSize(width: width, height: size.height)
    }

    /// The smallest size with this aspect ratio that covers `size`.
    public func filling(_ size: CGSize) -> CGSize {
        let width = (ratio * size.height).rounded()
        let height = (size.width / ratio).rounded()
        return width < size.width
            ? CGSize(width: size.width, height: height)
            : CGSize(width: width, height: size.height)
    }

    /// A rectangle of `size` positioned by an anchor and clipped to the bounds of this size.
    ///
    /// - Parameters:
    ///   - size: The size of the rectangle.
    ///   - anchor: (0, 0) is the top left corner, (1, 1) the bottom right one; clamped to 0…1.
    /// - Returns: The visible part of the rectangle.
    public func constrainedRect(for size: CGSize, anchor: CGPoint) -> CGRect {
        let x = min(1, max(0, anchor.x)) * (base.width - size.width)
        let y = min(1, max(0, anchor.y)) * (base.height - size.height)
        let wanted = CGRect(x: x, y: y, width: size.width, height: size.height)
        return wanted.intersection(CGRect(origin: .zero, size: base))
    }

    private var ratio: CGFloat {
        base.height == 0 ? 1 : base.width / base.height
    }
}
