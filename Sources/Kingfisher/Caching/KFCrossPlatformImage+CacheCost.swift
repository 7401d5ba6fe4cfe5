import Pixels

extension KFCrossPlatformImage: CacheCostCalculable {
    /// The bytes that the image's pixels take: those of its distinct frames, or its own.
    public var cacheCost: Int {
        guard let images else { return bitmap?.byteCount ?? 0 }
        return Set(images).reduce(0) { $0 + ($1.bitmap?.byteCount ?? 0) }
    }
}
