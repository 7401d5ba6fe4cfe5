import Foundation
import Kingfisher

/// A screen in the style before strict concurrency: views, builders, prefetching, and state next to
/// them.
@MainActor
class Screen {
    let view = KFCrossPlatformImageView(frame: .zero)
    private(set) var log: [String] = []
    private var prefetcher: ImagePrefetcher?

    func show(_ url: URL, options: KingfisherOptionsInfo) {
        view.kf.indicatorType = .activity
        view.kf.setImage(with: url, options: options) { [weak self] result in
            switch result {
            case .success: self?.log.append("shown")
            case .failure(let error): self?.log.append("error \(error.errorCode)")
            }
        }
    }

    func build(_ url: URL, cache: ImageCache, downloader: ImageDownloader) {
        KF.url(url)
            .targetCache(cache)
            .downloader(downloader)
            .onProgress { received, _ in self.log.append("\(received) bytes") }
            .onSuccess { _ in self.log.append("built") }
            .onFailure { _ in self.log.append("failed") }
            .set(to: view)
    }

    func prefetch(_ urls: [URL], options: KingfisherOptionsInfo, done: @escaping (Int) -> Void) {
        prefetcher = ImagePrefetcher(urls: urls, options: options) { _, _, completed in
            done(completed.count)
        }
        prefetcher?.start()
    }
}
