import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Decides about HTTP redirects.
public protocol ImageDownloadRedirectHandler: Sendable {
    /// Gives the request to follow; nil stops at the redirect.
    func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest?
}

/// A redirect handler made of a closure.
public struct AnyRedirectHandler: ImageDownloadRedirectHandler {
    private let block:
        @Sendable (SessionDataTask, HTTPURLResponse, URLRequest, @escaping (URLRequest?) -> Void)
            -> Void

    /// Makes a handler; the closure must call its callback exactly once.
    public init(
        handle:
            @escaping @Sendable (
                SessionDataTask, HTTPURLResponse, URLRequest, @escaping (URLRequest?) -> Void
            ) -> Void
    ) {
        block = handle
    }

    /// Runs the closure and waits for its callback.
    public func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest? {
        await withCheckedContinuation { continuation in
            let once = OnceCompletion<URLRequest?> { continuation.resume(returning: $0) }
            block(task, response, newRequest) { once($0) }
        }
    }
}
