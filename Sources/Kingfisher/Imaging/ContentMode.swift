/// How a picture is fitted into a size.
public enum ContentMode: Sendable {
    /// Stretched to the size; the ratio is not kept.
    case none
    /// Inside the size, ratio kept.
    case aspectFit
    /// Covering the size, ratio kept.
    case aspectFill
}
