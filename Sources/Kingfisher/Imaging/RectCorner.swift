/// Some of the four corners of a rectangle.
public struct RectCorner: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Bit 0.
    public static let topLeft = RectCorner(rawValue: 1 << 0)
    /// Bit 1.
    public static let topRight = RectCorner(rawValue: 1 << 1)
    /// Bit 2.
    public static let bottomLeft = RectCorner(rawValue: 1 << 2)
    /// Bit 3.
    public static let bottomRight = RectCorner(rawValue: 1 << 3)
    /// All four.
    public static let all: RectCorner = [.topLeft, .topRight, .bottomLeft, .bottomRight]

    /// Makes a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    var identifier: String {
        self == .all ? "" : "_corner(\(rawValue))"
    }
}
