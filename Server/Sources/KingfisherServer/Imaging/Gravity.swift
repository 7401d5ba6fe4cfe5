extension ProcessingOptions.Gravity {
    /// Places a rectangle inside a larger one.
    ///
    /// Offsets of at least 1 are pixels and multiplied by `scale`; smaller ones are relative to the
    /// outer side. They point inwards from the named side, and right or down from the centre. The
    /// result never leaves the outer rectangle.
    ///
    /// - Parameters:
    ///   - inner: The size of the rectangle, at most that of the outer one.
    ///   - outer: The outer size.
    ///   - scale: The factor of offsets in pixels.
    /// - Returns: The rectangle; for ``smart`` in the centre.
    func frame(of inner: Extent, in outer: Extent, scale: Double) -> Frame {
        Frame(
            x: position(inner.width, in: outer.width, horizontal, scale),
            y: position(inner.height, in: outer.height, vertical, scale),
            size: inner
        )
    }

    /// A position along one axis.
    private enum Axis {
        case start(Double)
        case centre(Double)
        case end(Double)
        case focus(Double)
    }

    private func position(_ inner: Int, in outer: Int, _ axis: Axis, _ scale: Double) -> Int {
        let (own, whole) = (Double(inner), Double(outer))
        func pixels(_ offset: Double) -> Double {
            abs(offset) >= 1 ? offset * scale : offset * whole
        }
        let place =
            switch axis {
            case .start(let offset): pixels(offset)
            case .centre(let offset): (whole - own) / 2 + pixels(offset)
            case .end(let offset): whole - own - pixels(offset)
            case .focus(let share): whole * share - own / 2
            }
        return max(0, min(Rounding.pixels(place), outer - inner))
    }

    private var horizontal: Axis {
        switch self {
        case .smart: .centre(0)
        case .focus(let x, _): .focus(x)
        case .compass(let compass, let x, _):
            switch compass {
            case .west, .northWest, .southWest: .start(x)
            case .north, .south, .centre: .centre(x)
            case .east, .northEast, .southEast: .end(x)
            }
        }
    }

    private var vertical: Axis {
        switch self {
        case .smart: .centre(0)
        case .focus(_, let y): .focus(y)
        case .compass(let compass, _, let y):
            switch compass {
            case .north, .northWest, .northEast: .start(y)
            case .west, .east, .centre: .centre(y)
            case .south, .southWest, .southEast: .end(y)
            }
        }
    }
}
