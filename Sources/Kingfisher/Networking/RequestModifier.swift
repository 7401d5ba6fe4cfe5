import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Changes a request, asynchronously, before it is sent.
public protocol AsyncImageDownloadRequestModifier: Sendable {
    /// Gives the request to send; nil gives the load up with `emptyRequest`.
    func modified(for request: URLRequest) async -> URLRequest?

    /// Called with the handle of the download just before it is started or joined.
    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { get }
}

/// Changes a request before it is sent, on the thread that asks for the image.
public protocol ImageDownloadRequestModifier: AsyncImageDownloadRequestModifier {
    /// Gives the request to send; nil gives the load up with `emptyRequest`.
    func modified(for request: URLRequest) -> URLRequest?
}

extension ImageDownloadRequestModifier {
    /// Calls the synchronous flavour.
    public func modified(for request: URLRequest) async -> URLRequest? {
        let modify: (URLRequest) -> URLRequest? = self.modified(for:)
        return modify(request)
    }

    /// Nil.
    public var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { nil }
}

/// A request modifier made of a closure.
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
