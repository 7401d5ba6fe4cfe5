// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher
import KingfisherTesting

private func snippet() async throws {
let url = URL(string: "https://example.test/a.png")!
let bench = try ImageTestBench()
bench.transport.answer(url, with: .picture(.solid(.red, width: 40, height: 30)))
let result = try await bench.manager.retrieveImage(with: url)
print(result.image.size, bench.transport.requests.count)
}
