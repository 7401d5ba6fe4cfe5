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
