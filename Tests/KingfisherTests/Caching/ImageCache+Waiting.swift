import Synchronization

@testable import Kingfisher

extension ImageCache {
    /// Whether any load asks in the background.
    var isRefreshing: Bool { http.refreshing.withLock { !$0.isEmpty } }
}
