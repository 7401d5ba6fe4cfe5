import Foundation
import Kingfisher
import KingfisherTesting

/// When each of 64 loads ends that are started at once and need more than the cores can do.
enum OrderExperiment {
    static let experiment = Experiment(
        name: "order",
        title: "64 loads at once, each decoded, processed and stored: when they end"
    ) { folder in
        let photo = try Data(contentsOf: folder.appendingPathComponent("12mp-dense.jpg"))
        return try (0..<rounds).map { try run(photo, in: folder, round: $0) }
            .min { $0.mean < $1.mean }.map(\.lines) ?? []
    }

    private static let count = 64
    private static let rounds = 3

    /// The seconds from the start until the first, the last and the average load have ended.
    private struct Times {
        let first: Double
        let mean: Double
        let last: Double

        /// Loads of equal cost that end one after the other take half the time of the last on
        /// average; all of them end with the last if each step waits for those of the others.
        var lines: [String] {
            [
                String(format: "first %.3f s, mean %.3f s, last %.3f s", first, mean, last),
                Verdict("mean time / time of the last", mean / last, atMost: 0.6).line,
            ]
        }
    }

    private static func run(_ photo: Data, in folder: URL, round: Int) throws -> Times {
        let directory = folder.appendingPathComponent("order", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "order"),
            cache: try ImageCache(name: "order \(round)", cacheDirectoryURL: directory)
        )
        let processor =
            DownsamplingImageProcessor(size: CGSize(width: 800, height: 800))
            |> BlurImageProcessor(blurRadius: 4)
        let clock = ContinuousClock()
        let start = clock.now
        let ends = try Blocking.run {
            try await withThrowingTaskGroup(of: Double.self) { group in
                for index in 0..<count {
                    let provider = RawImageDataProvider(
                        data: photo.numbered(index),
                        cacheKey: "\(index)"
                    )
                    group.addTask {
                        _ = try await manager.retrieveImage(
                            with: .provider(provider),
                            options: [
                                .processor(processor), .waitForCache, .callbackQueue(.untouch),
                            ]
                        )
                        return (clock.now - start) / .seconds(1)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        return Times(
            first: ends.min() ?? 0,
            mean: ends.reduce(0, +) / Double(count),
            last: ends.max() ?? 0
        )
    }
}
