public import Foundation

/// Settings for keeping interrupted downloads, so that a later request continues them.
///
/// A body is kept if its transfer failed or was cancelled and the response has a strong `ETag` (RFC
/// 9110, 8.8.3). The next equal request, in this process or a later one, requests the rest with
/// `Range` and `If-Range`, and appends it if the response has the same `ETag` (15.3.7.3). Otherwise
/// the image is downloaded from the beginning.
public struct DownloadResumption: Sendable, Hashable {
    /// The folder; created when the first body is kept, with access only for the current user.
    public var folder: URL
    /// The maximum size of all kept bodies in bytes; the oldest are removed first, and a larger
    /// body is not kept.
    public var maxBytes = 256 << 20
    /// The maximum number of kept bodies; the oldest are removed first.
    public var maxCount = 32
    /// The maximum age of a kept body; three days by default.
    public var maxAge: Duration = .seconds(3 * 86_400)
    /// Smaller bodies, in bytes, are not kept: downloading them again costs less than a file.
    public var minBytes = 128 << 10

    /// Creates the default settings.
    ///
    /// - Parameter folder: Defaults to a folder in the user's cache folder.
    public init(folder: URL? = nil) {
        let manager = FileManager.default
        let caches = manager.urls(for: .cachesDirectory, in: .userDomainMask).first
        self.folder =
            folder
            ?? (caches ?? manager.temporaryDirectory)
            .appendingPathComponent("com.onevcat.Kingfisher.Downloads", isDirectory: true)
    }
}
