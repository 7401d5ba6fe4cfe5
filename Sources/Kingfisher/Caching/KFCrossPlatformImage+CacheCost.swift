import Pixels

extension KFCrossPlatformImage: CacheCostCalculable {
    /// The size of the image's pixels in bytes; for a preloaded animation, of its distinct frames.
    public var cacheCost: Int {
        guard let images else { return bitmap?.byteCount ?? 0 }
        return Set(images).reduce(0) { $0 + ($1.bitmap?.byteCount ?? 0) }
    }
}
