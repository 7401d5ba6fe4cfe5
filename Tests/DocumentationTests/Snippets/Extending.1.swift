// Made from Sources/Kingfisher/Kingfisher.docc/Extending.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

struct DatabaseProvider: ImageDataProvider {
    let number: Int
    let read: @Sendable (Int) async throws -> Data
    var cacheKey: String { "photo-\(number)" }

    func data() async throws -> Data { try await read(number) }
}
