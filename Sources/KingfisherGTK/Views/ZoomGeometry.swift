#if GTK
import Foundation
import Kingfisher

/// The place of an image in a zoomable view.
///
/// The view's coordinates are logical pixels; those of the image are pixels of its file.
nonisolated struct ZoomGeometry: Equatable {
    /// The size of the image in pixels; empty for none.
    var image = CGSize.zero {
        didSet {
            if !image.isDrawable { image = .zero }
            if image != oldValue { fit() }
        }
    }
    /// The size of the view; empty for one without a usable size, such as a hidden page.
    private(set) var view = CGSize.zero
    /// The screen's pixels per logical pixel.
    private(set) var density: CGFloat = 1
    /// Logical pixels per pixel of the image.
    private(set) var scale: CGFloat = 1
    /// The place of the image's upper left corner.
    private(set) var origin = CGPoint.zero
    /// Whether the whole image is shown, also when the view changes its size.
    private(set) var isFitted = true

    // MARK: Scales

    /// The scale at which the whole image is visible, but not enlarged; never 0.
    var fittedScale: CGFloat {
        guard image.isDrawable, view.isDrawable else { return actualScale }
        return min(actualScale, view.width / image.width, view.height / image.height)
    }

    /// The scale at which a pixel of the image is one of the screen.
    var actualScale: CGFloat { 1 / density }

    private var largestScale: CGFloat { max(fittedScale, 8 * actualScale) }

    // MARK: Changes

    /// Follows the view's size and screen; the image keeps the point in the centre.
    mutating func resize(to size: CGSize, density new: CGFloat) {
        let size = size.isDrawable ? size : .zero
        guard size != view || new != density, new.isDrawable else { return }
        let center = imagePoint(at: viewCenter)
        // The same size on screen.
        let kept = scale
        view = size
        density = new
        guard !isFitted, kept > fittedScale else { return fit() }
        scale = min(kept, largestScale)
        origin = CGPoint(
            x: viewCenter.x - center.x * scale,
            y: viewCenter.y - center.y * scale
        )
        clamp()
    }

    /// Shows the whole image.
    mutating func fit() {
        scale = fittedScale
        isFitted = true
        clamp()
    }

    /// Changes the scale; the point of the image at an anchor stays in place.
    mutating func zoom(to new: CGFloat, at anchor: CGPoint) {
        guard new.isFinite, scale > 0 else { return }
        let anchor = anchor.x.isFinite && anchor.y.isFinite ? anchor : viewCenter
        let point = imagePoint(at: anchor)
        scale = min(largestScale, max(fittedScale, new))
        isFitted = scale <= fittedScale
        origin = CGPoint(x: anchor.x - point.x * scale, y: anchor.y - point.y * scale)
        clamp()
    }

    mutating func zoom(by factor: CGFloat, at anchor: CGPoint) {
        zoom(to: scale * factor, at: anchor)
    }

    /// Shows the image in its own size, or the whole image if it has that size already.
    mutating func toggle(at anchor: CGPoint) {
        if isFitted { zoom(to: actualScale, at: anchor) } else { fit() }
    }

    mutating func move(by x: CGFloat, _ y: CGFloat) {
        guard x.isFinite, y.isFinite else { return }
        origin.x += x
        origin.y += y
        clamp()
    }

    /// Centres an axis along which the image is smaller than the view; no gaps otherwise.
    private mutating func clamp() {
        func clamped(_ origin: CGFloat, _ length: CGFloat, _ space: CGFloat) -> CGFloat {
            length <= space ? (space - length) / 2 : min(0, max(space - length, origin))
        }
        origin.x = clamped(origin.x, image.width * scale, view.width)
        origin.y = clamped(origin.y, image.height * scale, view.height)
    }

    // MARK: Places

    private var viewCenter: CGPoint { CGPoint(x: view.width / 2, y: view.height / 2) }

    /// The point of the image at a point of the view.
    func imagePoint(at point: CGPoint) -> CGPoint {
        CGPoint(x: (point.x - origin.x) / scale, y: (point.y - origin.y) / scale)
    }

    /// The rectangle of the image in the view, in whole pixels of the screen.
    var place: CGRect {
        let size = screenSize
        return CGRect(
            x: (origin.x * density).rounded() / density,
            y: (origin.y * density).rounded() / density,
            width: size.width / density,
            height: size.height / density
        )
    }

    /// The size of the whole image in pixels of the screen.
    private var screenSize: CGSize {
        CGSize(
            width: max(1, (image.width * scale * density).rounded()),
            height: max(1, (image.height * scale * density).rounded())
        )
    }

    // MARK: Details

    /// A part of the image at a size of the whole.
    struct Detail: Equatable {
        /// The size of the whole image in pixels.
        var whole: CGSize
        /// The part of it, in whole pixels.
        var part: CGRect
        /// What was visible, in the same pixels.
        var visible: CGRect

        /// The part in widths and heights of the image.
        var share: CGRect {
            guard whole.isDrawable else { return .zero }
            return CGRect(
                x: part.minX / whole.width,
                y: part.minY / whole.height,
                width: part.width / whole.width,
                height: part.height / whole.height
            )
        }
    }

    /// The part that is visible, and a quarter of the view around it; never larger than the image's
    /// own pixels.
    var detail: Detail {
        let factor = min(1, scale * density)
        let whole = CGSize(
            width: max(1, (image.width * factor).rounded()),
            height: max(1, (image.height * factor).rounded())
        )
        let bounds = CGRect(origin: .zero, size: whole)
        let pixels = factor / scale
        let visible = CGRect(
            x: -origin.x * pixels,
            y: -origin.y * pixels,
            width: view.width * pixels,
            height: view.height * pixels
        )
        let wide = visible.insetBy(dx: -visible.width / 4, dy: -visible.height / 4).integral
        return Detail(
            whole: whole,
            part: wide.intersection(bounds),
            visible: visible.intersection(bounds)
        )
    }
}

extension CGSize {
    /// The same aspect ratio within the sides of a space, and never larger.
    ///
    /// A side that is nil, or no length, does not limit the size.
    nonisolated func fitted(width space: CGFloat?, height other: CGFloat?) -> CGSize {
        func factor(_ side: CGFloat?, _ own: CGFloat) -> CGFloat {
            guard let side, side >= 0, side.isFinite else { return 1 }
            return side / own
        }
        guard isDrawable else { return .zero }
        return scaled(by: min(1, factor(space, width), factor(other, height)))
    }
}
#endif
