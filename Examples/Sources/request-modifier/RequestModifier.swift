// Requests: a header for each, an asynchronous modifier, and a redirect handler.
import Exhibition
import Foundation
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests a token before each request.
struct TokenModifier: AsyncImageDownloadRequestModifier {
    let token: @Sendable () async -> String?

    func modified(for request: URLRequest) async -> URLRequest? {
        // Nil fails the load with `emptyRequest`.
        guard let token = await token() else { return nil }
        var request = request
        request.setValue(token, forHTTPHeaderField: "Authorization")
        return request
    }

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? {
        { task in print("       started \(task?.sessionTask?.originalURL?.path ?? "nothing")") }
    }
}

@main
struct RequestModifier {
    static func main() async throws {
        let exhibition = try Exhibition()
        let manager = KingfisherManager(downloader: .default, cache: try temporaryCache())
        let url = exhibition.url("/private.jpg")

        let modifier = AnyModifier { request in
            var request = request
            request.setValue(Exhibition.token, forHTTPHeaderField: "Authorization")
            return request
        }
        _ = try await manager.retrieveImage(with: url, options: [.requestModifier(modifier)])
        check(true, "with the header the load succeeds")

        let asking = TokenModifier { Exhibition.token }
        _ = try await manager.retrieveImage(
            with: url,
            options: [.requestModifier(asking), .forceRefresh]
        )
        check(exhibition.requests.count == 2, "and also with a token that is fetched first")

        do {
            let without = TokenModifier { nil }
            _ = try await manager.retrieveImage(
                with: url,
                options: [.requestModifier(without), .forceRefresh]
            )
            check(false, "without a token no request is sent")
        } catch let error as KingfisherError {
            check(error.errorCode == 1001, error.localizedDescription)
        }

        let target = Mutex<URL?>(nil)
        let handler = AnyRedirectHandler { _, _, request, reply in
            target.withLock { $0 = request.url }
            reply(request)
        }
        _ = try await manager.retrieveImage(
            with: exhibition.url("/moved.jpg"),
            options: [.redirectHandler(handler)]
        )
        check(target.withLock { $0?.path } == "/photo.jpg", "the redirect was seen and followed")
    }
}
