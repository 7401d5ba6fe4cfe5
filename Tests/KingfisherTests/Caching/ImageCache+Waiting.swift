import Synchronization

@testable import Kingfisher

extension ImageCache {
    /// Waits until the changes of the disk that were queued so far are made.
    func flush() async {
        await withCheckedContinuation { continuation in
            diskStorage.queue.enqueueAlone { continuation.resume() }
        }
    }

    /// Whether any load asks in the background.
    var isRefreshing: Bool { http.refreshing.withLock { !$0.isEmpty } }
}
