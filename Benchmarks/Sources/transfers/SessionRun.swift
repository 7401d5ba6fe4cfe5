import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Foundation's `URLSession` with a fixed number of concurrent lines of sequential tasks.
struct SessionRun {
    private let url: URL
    private let count: Int
    private let width: Int

    init(_ url: URL, _ count: Int, _ width: Int) {
        self.url = url
        self.count = count
        self.width = width
    }

    func report() async -> String? {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = width
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration)
        let measurement = Measurement(count: count)
        await withTaskGroup { group in
            for line in 0..<width {
                let share = count / width + (line < count % width ? 1 : 0)
                group.addTask { [url] in
                    for _ in 0..<share {
                        let start = ContinuousClock.now
                        // A failure is counted, and no figure is printed.
                        let data = try? await session.data(from: url).0
                        measurement.note(data?.count, since: start)
                    }
                }
            }
        }
        return measurement.report()
    }
}
