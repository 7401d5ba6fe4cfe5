import Foundation
import Kingfisher

/// Loads the images of pages as JPEG files, for `Benchmarks/Peers/end_to_end.py`.
///
/// The program that a user of the library would write: one call per image, the originals kept on
/// disk so that another size needs no download.
struct PageLoads {
    private struct Item: Sendable {
        let url: URL
        let side: Int
    }

    private let items: [Item]
    private let folder: URL
    private let width: Int

    /// - Parameters:
    ///   - list: A file with a line "SIDE URL" for each image.
    ///   - folder: The folder of the disk cache.
    ///   - width: The number of concurrent loads.
    /// - Throws: An error of the list.
    init(list: URL, folder: URL, width: Int) throws {
        let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
        items = try lines.map { line in
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let side = Int(words[0]), let url = URL(string: "\(words[1])")
            else { throw BenchmarkError("'\(line)' is no line of a list") }
            return Item(url: url, side: side)
        }
        self.folder = folder
        self.width = width
    }

    /// Returns the seconds of all loads and their bytes.
    func run() throws -> String {
        let cache = try ImageCache(name: "pages", cacheDirectoryURL: folder)
        let manager = KingfisherManager(downloader: ImageDownloader(name: "pages"), cache: cache)
        manager.downloader.sessionConfiguration.httpMaximumConnectionsPerHost = width
        let watch = Stopwatch()
        let bytes = try Blocking.run { [items, width] in
            try await withThrowingTaskGroup(of: Int.self) { group in
                var bytes = 0
                for (index, item) in items.enumerated() {
                    if index >= width { bytes += try await group.next() ?? 0 }
                    group.addTask { try await Self.load(item, by: manager) }
                }
                for try await count in group { bytes += count }
                return bytes
            }
        }
        return "\(watch.wall) \(bytes)"
    }

    private static func load(_ item: Item, by manager: KingfisherManager) async throws -> Int {
        let size = CGSize(width: item.side, height: item.side)
        let result = try await manager.retrieveData(
            with: item.url,
            options: [
                .processor(ResizingImageProcessor(referenceSize: size, mode: .aspectFit)),
                .cacheOriginalImage, .waitForCache,
            ],
            as: .jpeg(quality: 0.8)
        )
        return result.data.count
    }
}
