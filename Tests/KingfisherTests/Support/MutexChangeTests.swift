import Synchronization
import Testing

@testable import Kingfisher

struct MutexChangeTests {
    /// Somebody's object that uses a downloader until its end.
    private final class Owner: Sendable {
        private let downloader: ImageDownloader
        init(_ downloader: ImageDownloader) { self.downloader = downloader }
        deinit { #expect(downloader.isNetworkConstrained?() == true) }
    }

    @Test func `a replaced value may ask for the lock as it ends`() {
        let downloader = ImageDownloader(name: "test")
        do {
            let owner = Owner(downloader)
            downloader.isNetworkConstrained = { withExtendedLifetime(owner) { false } }
        }
        downloader.isNetworkConstrained = { true }
        #expect(downloader.isNetworkConstrained?() == true)
    }

    @Test func `a change is seen by the next lock`() {
        let value = Mutex([1])
        value.change { $0.append(2) }
        #expect(value.withLock { $0 } == [1, 2])
    }
}
