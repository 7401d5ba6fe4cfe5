public import Foundation
import Pixels

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The picture stretched to a size in points, its corners cut round.
    ///
    /// The image itself when it is empty or the size cannot be made.
    ///
    /// - Parameters:
    ///   - radius: The radius of each corner; more than half a side counts as half of it.
    ///   - size: The size of the result in points.
    ///   - corners: The corners that are rounded.
    ///   - backgroundColor: Fills the whole result behind the picture, cut corners included; nil
    ///     leaves them transparent.
    /// - Returns: The rounded picture.
    public func image(
        withRadius radius: Radius,
        fit size: CGSize,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        guard let bitmap = base.bitmap, let target = PixelSize(points: size, scale: base.scale)
        else { return base }
        let points = Double(radius.compute(with: size) * base.scale)
        let radii = CornerRadii(points, at: corners)
        do {
            let resized = target == bitmap.size ? bitmap : try resample(bitmap, to: target)
            var result = try roundCorners(resized, radii: radii)
            if let backgroundColor {
                result = try fillBackground(result, color: backgroundColor.rgba)
            }
            return KFCrossPlatformImage(bitmap: result, scale: base.scale)
        } catch {
            return base
        }
    }

    /// The picture stretched to a size in points, its corners cut round by a radius in points.
    public func image(
        withRoundRadius radius: CGFloat,
        fit size: CGSize,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        image(
            withRadius: .point(radius),
            fit: size,
            roundingCorners: corners,
            backgroundColor: backgroundColor
        )
    }
}
