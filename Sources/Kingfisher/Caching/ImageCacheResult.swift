/// The result of a lookup.
public enum ImageCacheResult: Sendable {
    /// An image found on disk.
    case disk(KFCrossPlatformImage)
    /// An image found in memory.
    case memory(KFCrossPlatformImage)
    /// No image.
    case none

    /// The image, if one was found.
    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    /// The layer in which the image was found.
    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}
