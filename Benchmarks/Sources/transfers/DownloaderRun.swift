import Foundation
import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The library's downloader as its callers use it: delivers bytes, without decoding.
struct DownloaderRun {
    private let url: URL
    private let count: Int
    private let width: Int

    init(_ url: URL, _ count: Int, _ width: Int) {
        self.url = url
        self.count = count
        self.width = width
    }

    func report() async -> String? {
        var configuration = CurlTransport.Configuration()
        configuration.maxConnections = max(width, configuration.maxConnections)
        configuration.maxIdleConnections = max(width, configuration.maxIdleConnections)
        let downloader = ImageDownloader(
            name: "bench",
            transport: CurlTransport(configuration: configuration)
        )
        downloader.sessionConfiguration.httpMaximumConnectionsPerHost = width
        downloader.resumption = nil
        let options = KingfisherParsedOptionsInfo(nil)
        let measurement = Measurement(count: count)
        await withTaskGroup { group in
            for line in 0..<width {
                let share = count / width + (line < count % width ? 1 : 0)
                group.addTask { [url] in
                    // Concurrent requests for the same URL would share a transfer.
                    guard let own = URL(string: "\(url)?\(line)") else { return }
                    for _ in 0..<share {
                        let start = ContinuousClock.now
                        // A failure is counted, and no figure is printed.
                        let result = try? await downloader.downloadLivePhotoResource(
                            with: own,
                            options: options
                        )
                        measurement.note(result?.originalData.count, since: start)
                    }
                }
            }
        }
        return measurement.report()
    }
}
