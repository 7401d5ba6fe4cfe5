// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import FoundationNetworking
import Kingfisher

private func snippet() async throws {
ImageDownloader.default.sessionConfiguration.httpMaximumConnectionsPerHost = 3
}
