public import Foundation

/// The looks of a border that is drawn inside a picture's edges.
public struct Border: Sendable {
    /// The colour of the stroke; its alpha lets the picture show through.
    public var color: KFCrossPlatformColor

    /// The width of the stroke in points.
    public var lineWidth: CGFloat

    /// The radius of its corners.
    public var radius: Radius

    /// The corners that are rounded.
    public var roundingCorners: RectCorner

    /// Makes a border; four points of black without rounding unless told otherwise.
    public init(
        color: KFCrossPlatformColor = .black,
        lineWidth: CGFloat = 4,
        radius: Radius = .point(0),
        roundingCorners: RectCorner = .all
    ) {
        self.color = color
        self.lineWidth = lineWidth
        self.radius = radius
        self.roundingCorners = roundingCorners
    }

    /// `<rgba>_<width>_<radius>[_corner(<bits>)]`.
    var identifier: String {
        let width = NumberText.number(lineWidth)
        return "\(color.rgbaDescription)_\(width)_\(radius.identifier)\(roundingCorners.identifier)"
    }
}
