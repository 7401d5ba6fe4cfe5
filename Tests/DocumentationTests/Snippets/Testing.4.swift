// Made from Sources/Kingfisher/Kingfisher.docc/Testing.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher
import KingfisherTesting

private func snippet() async throws {
let url = URL(string: "https://example.test/a.png")!
let bench = try ImageTestBench()
bench.transport.answer(url, with: .picture(.gradient(from: .black, to: .white)))
try await bench.load(url)
bench.clock.advance(by: 8 * 24 * 3600)
print(bench.cache.isCached(forKey: url.absoluteString))
}
