import Codecs
public import Foundation
import Pixels

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The picture stretched to exactly a size in points.
    ///
    /// The image itself when it is empty or the size cannot be made.
    public func resize(to size: CGSize) -> KFCrossPlatformImage {
        base.resized(to: size, for: .none) ?? base
    }

    /// The picture resized into a size in points by content mode.
    ///
    /// The image itself when it is empty or the size cannot be made.
    public func resize(
        to targetSize: CGSize,
        for contentMode: ContentMode
    ) -> KFCrossPlatformImage {
        base.resized(to: targetSize, for: contentMode) ?? base
    }
}

extension KFCrossPlatformImage {
    /// The picture in another size; nil when it is empty or the size cannot be made.
    func resized(to size: CGSize, for mode: ContentMode) -> KFCrossPlatformImage? {
        let target = self.size.kf.resize(to: size, for: mode)
        guard let bitmap, let pixels = PixelSize(points: target, scale: scale) else { return nil }
        // The contract is nil for a size that cannot be made.
        guard let resized = try? resample(bitmap, to: pixels) else { return nil }
        return KFCrossPlatformImage(bitmap: resized, scale: scale)
    }

    /// The picture scaled down to a longest side; itself when it is smaller already.
    func downsampled(to pointSize: CGSize, scale: CGFloat) -> KFCrossPlatformImage? {
        guard let bitmap, let target = DownsamplingSize.target(pointSize, scale: scale) else {
            return nil
        }
        guard case .fit(let box) = target else { return kf.scaled(to: scale) }
        let size = bitmap.size.fitted(inside: box)
        guard size != bitmap.size else { return kf.scaled(to: scale) }
        // The contract is nil for a size that cannot be made.
        guard let resized = try? resample(bitmap, to: size) else { return nil }
        return KFCrossPlatformImage(bitmap: resized, scale: scale)
    }
}

extension PixelSize {
    /// A size in points as pixels; nil when it has none, too many, or is no number.
    init?(points: CGSize, scale: CGFloat) {
        let width = (points.width * scale).rounded()
        let height = (points.height * scale).rounded()
        let range = CGFloat(1)...CGFloat(PixelLimits.maxDimension)
        guard range.contains(width), range.contains(height) else {
            // Not for a size that is empty or no number: a limit has nothing to do with it.
            if width >= 1, height >= 1 {
                let bound = CGFloat(Int32.max)
                PixelScope.refuse(
                    PixelSize(width: Int(min(width, bound)), height: Int(min(height, bound)))
                )
            }
            return nil
        }
        self.init(width: Int(width), height: Int(height))
    }
}
