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
    /// Tells handlers apart: closures cannot be compared.
    fileprivate let identity = HandlerIdentity()
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

private final class HandlerIdentity: Sendable {}

extension RequestOwner {
    /// Callers share a download if the same handler is asked about its redirects.
    ///
    /// A class and ``AnyRedirectHandler`` are known by their identity, a type without properties by
    /// its name; what other values would answer nobody knows, so they share nothing.
    init(_ handler: (any ImageDownloadRedirectHandler)?) {
        self =
            switch handler {
            case nil: .nobody
            case let handler as AnyRedirectHandler: .object(handler.identity)
            case let handler?: Self.owner(handler)
            }
    }

    private static func owner<Handler: ImageDownloadRedirectHandler>(
        _ handler: Handler
    ) -> RequestOwner {
        if Handler.self is AnyClass { return .object(handler as AnyObject) }
        return MemoryLayout<Handler>.size == 0
            ? .type(ObjectIdentifier(Handler.self)) : .object(HandlerIdentity())
    }
}
