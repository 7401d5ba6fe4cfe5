import Synchronization

@testable import Kingfisher

extension ImageCache {
    /// Whether any load asks in the background.
    var isRefreshing: Bool { http.refreshing.withLock { !$0.isEmpty } }

    /// The file of a stored entry, which is decoded once for all loads while it is retained.
    ///
    /// Otherwise a load that looked into memory before another one ended, and joins after that,
    /// decodes it again.
    func file(of key: String) -> EncodedImage {
        let entry = CacheEntryName(key: key, identifier: "", forced: nil)
        return encodedImages.image(for: .init(entry: entry, version: version(of: entry))) {
            [self] in
            try diskStorage.contents(of: entry, extending: .none)
        }
    }
}
