public import Foundation

/// The radius of a rounded corner.
public enum Radius: Sendable {
    /// A part of the width.
    case widthFraction(CGFloat)
    /// A part of the height.
    case heightFraction(CGFloat)
    /// Points.
    case point(CGFloat)

    /// The radius in points for a picture of `size`.
    public func compute(with size: CGSize) -> CGFloat {
        switch self {
        case .widthFraction(let fraction): size.width * fraction
        case .heightFraction(let fraction): size.height * fraction
        case .point(let point): point
        }
    }

    var identifier: String {
        switch self {
        case .widthFraction(let fraction): "w_frac_\(NumberText.number(fraction))"
        case .heightFraction(let fraction): "h_frac_\(NumberText.number(fraction))"
        case .point(let point): NumberText.number(point)
        }
    }
}
