import Foundation
import Kingfisher
import Testing

/// Values that test doubles of the cache and the manager return.
struct StandInTests {
    @Test func `results of stores, failures and live photos can be made`() throws {
        let stored = CacheStoreResult()
        #expect(throws: Never.self) { try stored.diskCacheResult.get() }
        let refused = CacheStoreResult(
            diskCacheResult: .failure(.cacheError(reason: .imageNotExisting(key: "k")))
        )
        #expect(throws: KingfisherError.self) { try refused.diskCacheResult.get() }

        let url = URL(string: "http://localhost/a")!
        let failure = PropagationError(
            source: .network(url),
            error: .requestError(reason: .emptyRequest)
        )
        #expect(failure.source.cacheKey == url.absoluteString)

        let photo = LivePhotoSource(urls: [url])
        let info = LivePhotoLoadingInfoResult(fileURLs: [url], cacheType: .disk, source: photo) {
            []
        }
        #expect(RetrieveLivePhotoResult(loadingInfo: info).loadingInfo.fileURLs == [url])
    }
}
