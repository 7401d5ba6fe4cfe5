public import Foundation

/// Where interrupted bodies are kept, so that the next request continues them, and how many.
///
/// A body is kept when its transfer broke off or was cancelled and the server gave a strong `ETag`
/// (RFC 9110, 8.8.3). The next equal request, in this process or a later one, asks for the rest
/// with `Range` and `If-Range`, and joins it if it comes with the same `ETag` (15.3.7.3); otherwise
/// the image is fetched from its beginning.
public struct DownloadResumption: Sendable, Hashable {
    /// The folder; it is made when the first body is kept, for this user alone.
    public var folder: URL
    /// Bytes of all bodies together; the oldest go first, and a larger body is not kept.
    public var maxBytes = 256 << 20
    /// The number of bodies; the oldest go first.
    public var maxCount = 32
    /// How long a body is worth keeping.
    public var maxAge: Duration = .seconds(3 * 86_400)
    /// Bodies with fewer bytes are not kept: fetching them again costs less than a file.
    public var minBytes = 128 << 10

    /// Creates the default settings.
    ///
    /// - Parameter folder: `nil` for one in the user's cache folder.
    public init(folder: URL? = nil) {
        let manager = FileManager.default
        let caches = manager.urls(for: .cachesDirectory, in: .userDomainMask).first
        self.folder =
            folder
            ?? (caches ?? manager.temporaryDirectory)
            .appendingPathComponent("com.onevcat.Kingfisher.Downloads", isDirectory: true)
    }
}
