public import Foundation

extension CGSize: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == CGSize {
    /// The size that a picture of this size gets in a target, by content mode.
    public func resize(to size: CGSize, for contentMode: ContentMode) -> CGSize {
        switch contentMode {
        case .none: size
        case .aspectFit: constrained(size)
        case .aspectFill: filling(size)
        }
    }

    /// The largest size of this ratio that fits inside `size`.
    public func constrained(_ size: CGSize) -> CGSize {
        let width = (ratio * size.height).rounded()
        let height = (size.width / ratio).rounded()
        return width > size.width
            ? CGSize(width: size.width, height: height)
            : CGSize(width: width, height: size.height)
    }

    /// The smallest size of this ratio that covers `size`.
    public func filling(_ size: CGSize) -> CGSize {
        let width = (ratio * size.height).rounded()
        let height = (size.width / ratio).rounded()
        return width < size.width
            ? CGSize(width: size.width, height: height)
            : CGSize(width: width, height: size.height)
    }

    /// A rectangle of `size` placed by an anchor, cut to this size's own bounds.
    ///
    /// - Parameters:
    ///   - size: The size wanted.
    ///   - anchor: (0, 0) is the top left corner, (1, 1) the bottom right one; brought inside 0…1.
    /// - Returns: The part of the rectangle that lies inside.
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
