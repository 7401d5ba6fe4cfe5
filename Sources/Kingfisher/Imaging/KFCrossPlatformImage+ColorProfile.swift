public import Foundation
import Synchronization

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The ICC profile of the pixels, which encoders embed; nil for sRGB.
    ///
    /// Not part of Kingfisher for Apple platforms. Images have one only after
    /// ``ProfileKeepingProcessor``, or after ``withColorProfile(_:)``.
    public var colorProfile: Data? { base.attached.withLock { $0.colorProfile } }

    /// The same pixels with another profile, to which they are not converted.
    ///
    /// Not part of Kingfisher for Apple platforms.
    ///
    /// - Parameter profile: An ICC profile for RGB; nil for sRGB.
    /// - Returns: The image itself if it has the profile already.
    public func withColorProfile(_ profile: Data?) -> KFCrossPlatformImage {
        guard profile != colorProfile else { return base }
        var state = base.attached.withLock { $0 }
        state.colorProfile = profile
        return KFCrossPlatformImage(
            bitmap: base.bitmap,
            scale: base.scale,
            images: base.images,
            duration: base.duration,
            attached: state
        )
    }
}
