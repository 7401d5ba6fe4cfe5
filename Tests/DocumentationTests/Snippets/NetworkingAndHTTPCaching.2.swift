// Made from Sources/Kingfisher/Kingfisher.docc/NetworkingAndHTTPCaching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import FoundationNetworking
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/radar.png")!
let patient = AnyModifier { request in
    var request = request
    request.setValue("max-stale=600", forHTTPHeaderField: "Cache-Control")
    return request
}
_ = try await KingfisherManager.shared.retrieveImage(
    with: url,
    options: [.httpCaching, .requestModifier(patient)]
)
}
