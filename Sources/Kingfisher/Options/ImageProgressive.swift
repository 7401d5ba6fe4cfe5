public import Foundation

/// How a progressive JPEG is shown while it arrives.
public struct ImageProgressive: Sendable {
    /// What to do with an intermediate picture.
    public enum UpdatingStrategy {
        /// Show it.
        case `default`
        /// Keep what is shown.
        case keepCurrent
        /// Show another image, or none.
        case replace(KFCrossPlatformImage?)
    }

    /// Blurred, the newest scan alone, no pause between updates.
    @available(*, deprecated, message: "Make a value of your own, so that its hook is yours.")
    public static let `default` = ImageProgressive(
        isBlur: true,
        isFastestScan: true,
        scanInterval: 0
    )

    /// Whether early scans are blurred.
    public var isBlur: Bool

    /// Whether the newest scan alone is decoded.
    public var isFastestScan: Bool

    /// The fewest seconds between two updates.
    public var scanInterval: TimeInterval

    /// Called with each intermediate picture.
    public let onImageUpdated = Delegate<KFCrossPlatformImage, UpdatingStrategy>()

    /// Makes the default settings.
    public init() {
        self.init(isBlur: true, isFastestScan: true, scanInterval: 0)
    }

    /// Makes settings.
    public init(isBlur: Bool, isFastestScan: Bool, scanInterval: TimeInterval) {
        self.isBlur = isBlur
        self.isFastestScan = isFastestScan
        self.scanInterval = scanInterval
    }
}
