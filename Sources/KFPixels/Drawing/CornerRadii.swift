/// The radii of a rounded rectangle's corners in pixels.
package struct CornerRadii: Hashable, Sendable {
    package var topLeft: Double
    package var topRight: Double
    package var bottomLeft: Double
    package var bottomRight: Double

    package init(
        topLeft: Double = 0,
        topRight: Double = 0,
        bottomLeft: Double = 0,
        bottomRight: Double = 0
    ) {
        self.topLeft = topLeft
        self.topRight = topRight
        self.bottomLeft = bottomLeft
        self.bottomRight = bottomRight
    }

    /// The same radius at every corner.
    package init(all radius: Double) {
        self.init(topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius)
    }

    /// Each radius clamped to 0…half the shorter side; NaN counts as 0.
    func held(to width: Double, _ height: Double) -> CornerRadii {
        let most = max(0, min(width, height) / 2)
        func hold(_ radius: Double) -> Double { radius > 0 ? min(radius, most) : 0 }
        return CornerRadii(
            topLeft: hold(topLeft),
            topRight: hold(topRight),
            bottomLeft: hold(bottomLeft),
            bottomRight: hold(bottomRight)
        )
    }

    var largest: Double { max(topLeft, topRight, bottomLeft, bottomRight) }
}
