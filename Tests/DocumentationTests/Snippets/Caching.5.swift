// Made from Sources/Kingfisher/Kingfisher.docc/Caching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let urls = (1...100).compactMap { URL(string: "https://example.com/photos/\($0).jpg") }
let thumbnail = DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
let result = await ImagePrefetcher(urls: urls, options: [.processor(thumbnail)]).prefetch()
print(result.completed.count, "loaded,", result.skipped.count, "cached,", result.failed.count, "failed")
}
