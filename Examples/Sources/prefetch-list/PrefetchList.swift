// A scrolling list: upcoming rows are prefetched, and cells are reused.
import Exhibition
import Foundation
import Kingfisher

/// A cell that shows one row at a time.
@MainActor
final class Cell {
    let imageView = KFCrossPlatformImageView(frame: CGRect(x: 0, y: 0, width: 64, height: 64))

    func show(_ url: URL, options: KingfisherOptionsInfo) {
        imageView.kf.setImage(with: url, placeholder: KFCrossPlatformImage(), options: options)
    }

    func prepareForReuse() {
        imageView.kf.cancelDownloadTask()
        imageView.image = nil
    }
}

@main
struct PrefetchList {
    @MainActor
    static func main() async throws {
        let exhibition = try Exhibition()
        let options: KingfisherOptionsInfo = [
            .targetCache(try temporaryCache()),
            .processor(DownsamplingImageProcessor(size: CGSize(width: 64, height: 64))),
            .alsoPrefetchToMemory,
        ]
        let rows = (0..<40).map { exhibition.url("/row-\($0).jpg") }

        let prefetcher = ImagePrefetcher(
            urls: Array(rows[0..<20]) + [exhibition.url("/missing.jpg")],
            options: options
        )
        prefetcher.maxConcurrentDownloads = 4
        let result = await prefetcher.prefetch()
        print("       \(result.skipped.count) skipped, \(result.failed.count) failed")
        check(result.completed.count == 20, "twenty rows are prefetched before scrolling")

        // Five cells for forty rows, scrolled fast.
        let cells = (0..<5).map { _ in Cell() }
        let before = exhibition.requests.count
        for (row, url) in rows.enumerated() {
            let cell = cells[row % cells.count]
            cell.prepareForReuse()
            cell.show(url, options: options)
            if row < 20 {
                check(cell.imageView.image?.size.width == 64, "row \(row) shows its image")
            }
        }
        for cell in cells { await cell.imageView.kf.waitUntilLoaded() }
        check(cells.allSatisfy { $0.imageView.image?.size.width == 64 }, "the last five are shown")
        let asked = Set(exhibition.requests.dropFirst(before))
        check(rows[0..<20].allSatisfy { !asked.contains($0.path) }, "no prefetched row was loaded")
    }
}
