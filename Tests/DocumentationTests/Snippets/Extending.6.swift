// Made from Sources/Kingfisher/Kingfisher.docc/Extending.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import FoundationNetworking
import Kingfisher

struct SigningTransport: HTTPTransport {
    let base = CurlTransport()
    let token: String

    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        var request = request
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return base.start(request, settings: settings, handler: handler)
    }
}
