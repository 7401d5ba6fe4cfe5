import Kingfisher
import Testing

// No import of Foundation or FoundationNetworking, as in programs written for Apple's platforms.

/// A request modifier written as for Apple's platforms.
private struct TokenModifier: ImageDownloadRequestModifier {
    let token: String

    func modified(for request: URLRequest) -> URLRequest? {
        var request = request
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        request.timeoutInterval = 3
        return request
    }
}

struct ExportsTests {
    @Test func `Foundation and Kingfisher alone bring requests into scope`() {
        let request = URLRequest(url: URL(string: "http://localhost/a")!)
        let modified = TokenModifier(token: "t").modified(for: request)
        #expect(modified?.value(forHTTPHeaderField: "Authorization") == "Bearer t")
        #expect(modified?.timeoutInterval == 3)
    }

    @Test func `configurations and responses are in scope, too`() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-A": "b"]
        let response = HTTPURLResponse(
            url: URL(string: "http://localhost/a")!,
            statusCode: 404,
            httpVersion: nil,
            headerFields: nil
        )
        let error = KingfisherError.responseError(
            reason: .invalidHTTPStatusCode(response: try #require(response))
        )
        #expect(error.isInvalidResponseStatusCode(404))
    }
}
