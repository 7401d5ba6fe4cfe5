public import Foundation

/// How a progressive JPEG is displayed while it is downloaded.
public struct ImageProgressive: Sendable {
    /// How to handle an intermediate image.
    public enum UpdatingStrategy {
        /// Show it.
        case `default`
        /// Keep the current image.
        case keepCurrent
        /// Show another image, or none if nil.
        case replace(KFCrossPlatformImage?)
    }

    /// Blurs early scans, decodes only the newest scan, and sets no minimum interval.
    @available(*, deprecated, message: "Make your own value, so that onImageUpdated is not shared.")
    public static let `default` = ImageProgressive(
        isBlur: true,
        isFastestScan: true,
        scanInterval: 0
    )

    /// Whether early scans are blurred.
    public var isBlur: Bool

    /// Whether only the newest scan is decoded.
    public var isFastestScan: Bool

    /// The minimum time between two updates, in seconds.
    public var scanInterval: TimeInterval

    /// Called with each intermediate image.
    public let onImageUpdated = Delegate<KFCrossPlatformImage, UpdatingStrategy>()

    /// Makes the default settings.
    public init() {
        self.init(isBlur: true, isFastestScan: true, scanInterval: 0)
    }

    /// Makes settings.
    ///
    /// - Parameters:
    ///   - isBlur: Whether early scans are blurred.
    ///   - isFastestScan: Whether only the newest scan is decoded.
    ///   - scanInterval: The minimum time between two updates, in seconds.
    public init(isBlur: Bool, isFastestScan: Bool, scanInterval: TimeInterval) {
        self.isBlur = isBlur
        self.isFastestScan = isFastestScan
        self.scanInterval = scanInterval
    }
}
