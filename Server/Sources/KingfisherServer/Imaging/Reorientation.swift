import Kingfisher

/// The lossless rotations and flips between decoding and cropping.
struct Reorientation {
    private(set) var steps: [any ImageProcessor] = []
    /// Whether width and height are exchanged.
    private(set) var swapsSides = false

    /// - Parameters:
    ///   - request: The rotation and flips, and whether the orientation is applied.
    ///   - orientation: The EXIF orientation, 1…8. Decoding always applies it, so an image that
    ///     should stay as stored is turned back.
    init(_ request: RenderPlan, orientation: Int) {
        if !request.rotates { undo(orientation) }
        rotate(request.options.rotation)
        if request.options.flipsHorizontally { flip(.horizontal) }
        if request.options.flipsVertically { flip(.vertical) }
    }

    /// The inverse of the table in the EXIF specification, 4.6.4 (tag 0x0112).
    private mutating func undo(_ orientation: Int) {
        switch orientation {
        case 2: flip(.horizontal)
        case 3: rotate(180)
        case 4: flip(.vertical)
        case 5:
            rotate(90)
            flip(.horizontal)
        case 6: rotate(270)
        case 7:
            rotate(90)
            flip(.vertical)
        case 8: rotate(90)
        default: break
        }
    }

    private mutating func rotate(_ degrees: Int) {
        guard degrees != 0 else { return }
        steps.append(RotatingImageProcessor(degrees: CGFloat(degrees)))
        if degrees % 180 != 0 { swapsSides.toggle() }
    }

    private mutating func flip(_ direction: FlipDirection) {
        steps.append(FlippingImageProcessor(direction))
    }
}
