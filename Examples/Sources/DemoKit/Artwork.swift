import Foundation

/// Drawings on a transparent background, made of antialiased shapes.
enum Artwork {
    /// A kingfisher on a branch.
    static func kingfisher(side: Int) -> Canvas {
        var page = Page(side: side)
        let orange: Ink = .vertical(SIMD3(0.98, 0.62, 0.20), SIMD3(0.86, 0.33, 0.10))
        let blue: Ink = .vertical(SIMD3(0.16, 0.72, 0.90), SIMD3(0.03, 0.28, 0.58))
        let deep: Ink = .vertical(SIMD3(0.06, 0.45, 0.70), SIMD3(0.02, 0.18, 0.42))
        let dark: Ink = .plain(SIMD3(0.10, 0.11, 0.15))
        let white: Ink = .plain(SIMD3(0.98, 0.97, 0.94))

        page.capsule(
            from: (0.04, 0.86),
            to: (0.97, 0.79),
            radius: 0.032,
            .plain(SIMD3(0.36, 0.25, 0.17))
        )
        page.capsule(
            from: (0.06, 0.845),
            to: (0.95, 0.778),
            radius: 0.010,
            .plain(SIMD3(0.52, 0.38, 0.26))
        )
        page.capsule(from: (0.66, 0.72), to: (0.77, 0.92), radius: 0.038, deep)
        page.capsule(from: (0.63, 0.74), to: (0.70, 0.94), radius: 0.034, blue)
        page.ellipse(at: (0.52, 0.58), radii: (0.17, 0.27), turned: -0.5, orange)
        page.ellipse(at: (0.60, 0.56), radii: (0.125, 0.25), turned: -0.5, blue)
        page.ellipse(at: (0.635, 0.60), radii: (0.085, 0.21), turned: -0.5, deep)
        for row in 0..<4 {
            for column in 0..<3 {
                let x = 0.565 + 0.035 * Float(row) + 0.028 * Float(column)
                let y = 0.46 + 0.062 * Float(row) - 0.024 * Float(column)
                page.ellipse(at: (x, y), radii: (0.012, 0.020), turned: -0.5, blue)
            }
        }
        page.triangle((0.34, 0.245), (0.36, 0.325), (0.03, 0.345), dark)
        page.triangle((0.35, 0.300), (0.38, 0.335), (0.07, 0.350), .plain(SIMD3(0.55, 0.20, 0.12)))
        page.ellipse(at: (0.44, 0.29), radii: (0.145, 0.125), turned: 0.15, blue)
        page.ellipse(at: (0.435, 0.325), radii: (0.075, 0.050), turned: 0.15, orange)
        page.ellipse(at: (0.535, 0.335), radii: (0.050, 0.030), turned: 0.7, white)
        page.ellipse(at: (0.385, 0.385), radii: (0.060, 0.032), turned: 0.3, white)
        for dot in 0..<7 {
            let angle = -2.5 + 0.32 * Float(dot)
            let centre = (0.45 + 0.115 * cosf(angle), 0.285 + 0.095 * sinf(angle))
            page.ellipse(
                at: centre,
                radii: (0.010, 0.007),
                turned: angle,
                .plain(SIMD3(0.55, 0.90, 1))
            )
        }
        page.ellipse(at: (0.385, 0.285), radii: (0.027, 0.027), turned: 0, dark)
        page.ellipse(at: (0.377, 0.277), radii: (0.009, 0.009), turned: 0, white)
        page.capsule(
            from: (0.47, 0.80),
            to: (0.45, 0.835),
            radius: 0.013,
            .plain(SIMD3(0.80, 0.22, 0.12))
        )
        page.capsule(
            from: (0.55, 0.79),
            to: (0.54, 0.828),
            radius: 0.013,
            .plain(SIMD3(0.80, 0.22, 0.12))
        )
        return page.canvas
    }

    /// A flower of translucent petals on a transparent background.
    static func flower(side: Int) -> Canvas {
        var page = Page(side: side)
        for ring in 0..<2 {
            let petals = 9 - ring * 2
            let reach = 0.27 - 0.10 * Float(ring)
            for petal in 0..<petals {
                let angle = Float(petal) / Float(petals) * 2 * .pi + Float(ring) * 0.3
                let share = Float(petal) / Float(petals)
                let ink: Ink = .vertical(
                    SIMD3(0.55 + 0.4 * share, 0.25 + 0.2 * Float(ring), 0.95 - 0.5 * share),
                    SIMD3(0.25 + 0.5 * share, 0.10 + 0.5 * Float(ring), 0.75)
                )
                page.ellipse(
                    at: (0.5 + reach * cosf(angle), 0.5 + reach * sinf(angle)),
                    radii: (0.20 - 0.07 * Float(ring), 0.085),
                    turned: -angle,
                    ink,
                    opacity: 0.72
                )
            }
        }
        page.ellipse(
            at: (0.5, 0.5),
            radii: (0.09, 0.09),
            turned: 0,
            .vertical(SIMD3(1, 0.9, 0.45), SIMD3(0.98, 0.62, 0.15))
        )
        return page.canvas
    }
}

/// The colour of a shape.
private enum Ink {
    case plain(SIMD3<Float>)
    /// A gradient from the top of the page to its bottom.
    case vertical(SIMD3<Float>, SIMD3<Float>)

    func colour(at share: Float) -> SIMD3<Float> {
        switch self {
        case .plain(let colour): colour
        case .vertical(let top, let bottom): mix(top, bottom, share)
        }
    }
}

/// A square canvas with coordinates in fractions of its side.
private struct Page {
    var canvas: Canvas
    let side: Float

    init(side: Int) {
        canvas = Canvas(width: side, height: side)
        self.side = Float(side)
    }

    mutating func ellipse(
        at centre: (Float, Float),
        radii: (Float, Float),
        turned angle: Float,
        _ ink: Ink,
        opacity: Float = 1
    ) {
        let (cosine, sine) = (cosf(angle), sinf(angle))
        let reach = max(radii.0, radii.1)
        let side = side
        fill(centre: centre, reach: reach, ink, opacity: opacity) { x, y in
            let (dx, dy) = (x - centre.0, y - centre.1)
            let across = (dx * cosine - dy * sine) / radii.0
            let along = (dx * sine + dy * cosine) / radii.1
            // Near the edge, the distance to it is the implicit function divided by its gradient.
            let length = (across * across + along * along).squareRoot()
            return (length - 1) * min(radii.0, radii.1) * side
        }
    }

    mutating func capsule(
        from start: (Float, Float),
        to end: (Float, Float),
        radius: Float,
        _ ink: Ink
    ) {
        let centre = ((start.0 + end.0) / 2, (start.1 + end.1) / 2)
        let (dx, dy) = (end.0 - start.0, end.1 - start.1)
        let length = (dx * dx + dy * dy).squareRoot()
        let side = side
        fill(centre: centre, reach: length / 2 + radius, ink, opacity: 1) { x, y in
            let (px, py) = (x - start.0, y - start.1)
            let share = clamped((px * dx + py * dy) / (length * length))
            let (ex, ey) = (px - dx * share, py - dy * share)
            return ((ex * ex + ey * ey).squareRoot() - radius) * side
        }
    }

    mutating func triangle(
        _ a: (Float, Float),
        _ b: (Float, Float),
        _ c: (Float, Float),
        _ ink: Ink
    ) {
        let centre = ((a.0 + b.0 + c.0) / 3, (a.1 + b.1 + c.1) / 3)
        let corners = [a, b, c]
        let turn = (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
        let side = side
        fill(centre: centre, reach: 0.5, ink, opacity: 1) { x, y in
            var distance = -Float.infinity
            for index in 0..<3 {
                let (p, q) = (corners[index], corners[(index + 1) % 3])
                let (dx, dy) = (q.0 - p.0, q.1 - p.1)
                let cross = dx * (y - p.1) - dy * (x - p.0)
                let edge = (turn > 0 ? -cross : cross) / (dx * dx + dy * dy).squareRoot()
                distance = max(distance, edge)
            }
            return distance * side
        }
    }

    /// Fills where `distance`, in pixels, is negative, with an antialiased edge.
    private mutating func fill(
        centre: (Float, Float),
        reach: Float,
        _ ink: Ink,
        opacity: Float,
        distance: (Float, Float) -> Float
    ) {
        let side = side
        func span(_ middle: Float) -> Range<Int> {
            Int((middle - reach) * side) - 2..<Int((middle + reach) * side) + 3
        }
        canvas.cover(
            columns: span(centre.0),
            rows: span(centre.1),
            colour: { _, y in ink.colour(at: y / side) },
            coverage: { x, y in clamped(0.5 - distance(x / side, y / side)) * opacity }
        )
    }
}
