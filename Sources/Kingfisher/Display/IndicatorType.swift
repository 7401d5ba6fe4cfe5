public import Foundation

/// The indicator of an image view.
public enum IndicatorType {
    /// None.
    case none
    /// The toolkit's own; without a toolkit a view that is visible while something loads.
    case activity
    /// A picture, which may be animated.
    case image(imageData: Data)
    /// One of the caller's.
    case custom(indicator: any Indicator)
}

extension IndicatorType {
    /// A new indicator; nil for none.
    @MainActor
    func makeIndicator() -> (any Indicator)? {
        switch self {
        case .none: nil
        case .activity: CountingIndicator(view: IndicatorView())
        case .image(let data): CountingIndicator(imageData: data)
        case .custom(let indicator): indicator
        }
    }
}
