import Pixels

extension KFCrossPlatformImage: CacheCostCalculable {
    /// The size of the image's pixels in bytes; for a preloaded animation, of its distinct frames,
    /// and for an image without pixels, of its file.
    public var cacheCost: Int {
        guard let images else {
            return bitmap?.byteCount ?? kf.gifRepresentation()?.count ?? 0
        }
        return Set(images).reduce(0) { $0 + ($1.bitmap?.byteCount ?? 0) }
    }
}
