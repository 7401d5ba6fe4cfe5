// Made from Sources/Kingfisher/Kingfisher.docc/NetworkingAndHTTPCaching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/avatars/17.jpg")!
let result = try await KingfisherManager.shared.retrieveImage(
    with: url,
    options: [.httpCaching]
)
switch result.freshness {
case .fresh: print("just downloaded, or within its lifetime")
case .stale: print("past its lifetime, and allowed all the same")
case .revalidated: print("past its lifetime, and confirmed by the server")
case nil: print("no server gave it")
}
}
