public import Foundation

/// How large an indicator is.
public enum IndicatorSizeStrategy {
    /// As its view is.
    case intrinsicSize
    /// As the image view is.
    case full
    /// A size in points.
    case size(CGSize)
}
