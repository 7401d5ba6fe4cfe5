import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Modifies a request asynchronously before it is sent.
public protocol AsyncImageDownloadRequestModifier: Sendable {
    /// Returns the request to send; nil ends the load with `emptyRequest`.
    func modified(for request: URLRequest) async -> URLRequest?

    /// Called with the download's task just before the download is started or joined.
    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { get }
}

/// Modifies a request before it is sent, on the thread that starts the load.
public protocol ImageDownloadRequestModifier: AsyncImageDownloadRequestModifier {
    /// Returns the request to send; nil ends the load with `emptyRequest`.
    func modified(for request: URLRequest) -> URLRequest?
}

extension ImageDownloadRequestModifier {
    /// Calls the synchronous overload.
    public func modified(for request: URLRequest) async -> URLRequest? {
        let modify: (URLRequest) -> URLRequest? = self.modified(for:)
        return modify(request)
    }

    /// Nil by default.
    public var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { nil }
}

/// A request modifier that runs a closure.
public struct AnyModifier: ImageDownloadRequestModifier {
    private let block: @Sendable (URLRequest) -> URLRequest?

    /// Makes a modifier.
    public init(modify: @escaping @Sendable (URLRequest) -> URLRequest?) {
        block = modify
    }

    /// Runs the closure.
    public func modified(for request: URLRequest) -> URLRequest? {
        block(request)
    }
}

/// Decides about HTTP redirects.
public protocol ImageDownloadRedirectHandler: Sendable {
    /// Returns the request to send for a redirect.
    ///
    /// - Parameters:
    ///   - task: The download.
    ///   - response: The redirect response.
    ///   - newRequest: The proposed request.
    /// - Returns: The request to send; nil stops at the redirect.
    func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest?
}

/// A redirect handler that runs a closure.
public struct AnyRedirectHandler: ImageDownloadRedirectHandler {
    /// The identity of the handler, because closures cannot be compared.
    fileprivate let identity = HandlerIdentity()
    private let block:
        @Sendable (SessionDataTask, HTTPURLResponse, URLRequest, @escaping (URLRequest?) -> Void)
            -> Void

    /// Makes a handler; the closure must call its callback exactly once.
    ///
    /// Releasing the callback without a call stops at the redirect.
    public init(
        handle:
            @escaping @Sendable (
                SessionDataTask, HTTPURLResponse, URLRequest, @escaping (URLRequest?) -> Void
            ) -> Void
    ) {
        block = handle
    }

    /// Runs the closure and waits for its callback.
    ///
    /// See ``ImageDownloadRedirectHandler/handleHTTPRedirection(for:response:newRequest:)``.
    public func handleHTTPRedirection(
        for task: SessionDataTask,
        response: HTTPURLResponse,
        newRequest: URLRequest
    ) async -> URLRequest? {
        await withCheckedContinuation { continuation in
            let once = OnceCompletion<URLRequest?>(ifReleased: { nil }) {
                continuation.resume(returning: $0)
            }
            block(task, response, newRequest) { once($0) }
        }
    }
}

private final class HandlerIdentity: Sendable {}

extension RequestOwner {
    /// Callers share a download only if the same handler decides about its redirects.
    ///
    /// Classes and ``AnyRedirectHandler`` are compared by identity, types without properties by
    /// their type. Other values cannot be compared, so they are never shared.
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
