/// The layer of a cache that has an image.
public enum CacheType: Sendable {
    /// Not cached.
    case none
    /// The memory layer.
    case memory
    /// The disk layer.
    case disk

    /// Whether the image comes from a cache layer.
    public var cached: Bool {
        switch self {
        case .memory, .disk: true
        case .none: false
        }
    }
}
