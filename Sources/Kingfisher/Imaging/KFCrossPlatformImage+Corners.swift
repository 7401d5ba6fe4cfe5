public import Foundation
import Pixels

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Returns the image stretched to a size in points, with rounded corners.
    ///
    /// Returns the image itself if it is empty or the size is invalid.
    ///
    /// - Parameters:
    ///   - radius: The radius of each corner, limited to half of the shorter side.
    ///   - size: The size of the result in points.
    ///   - corners: The corners to round.
    ///   - backgroundColor: Fills the result behind the image, including the area outside the
    ///     corners; nil leaves it transparent.
    /// - Returns: The rounded image.
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

    /// Returns the image stretched to a size, with corners rounded by a radius in points.
    ///
    /// See ``image(withRadius:fit:roundingCorners:backgroundColor:)``.
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
