/// What a lookup found.
public enum ImageCacheResult: Sendable {
    /// An image from disk.
    case disk(KFCrossPlatformImage)
    /// An image from memory.
    case memory(KFCrossPlatformImage)
    /// Nothing.
    case none

    /// The image, if one was found.
    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    /// The layer that had it.
    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}
