// Made from Sources/Kingfisher/Kingfisher.docc/Extending.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let downloader = ImageDownloader(name: "signed", transport: CurlTransport())
let manager = KingfisherManager(downloader: downloader, cache: .default)
print(manager.downloader === downloader)
}
