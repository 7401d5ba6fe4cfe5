import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension KFOptionSetter {
    /// Sets the modifier that changes the request before it is sent.
    public func requestModifier(_ modifier: any AsyncImageDownloadRequestModifier) -> Self {
        setting(\.requestModifier, to: modifier)
    }

    /// Sets a closure that changes the request before it is sent.
    public func requestModifier(
        _ modifyBlock: @escaping @Sendable (inout URLRequest) -> Void
    ) -> Self {
        requestModifier(
            AnyModifier { request in
                var request = request
                modifyBlock(&request)
                return request
            }
        )
    }

    /// Sets the handler that decides about HTTP redirects.
    public func redirectHandler(_ handler: any ImageDownloadRedirectHandler) -> Self {
        setting(\.redirectHandler, to: handler)
    }

    /// Sets a closure that decides about HTTP redirects.
    ///
    /// It must call the payload's completion handler exactly once.
    public func redirectHandler(_ block: @escaping @Sendable (KF.RedirectPayload) -> Void) -> Self {
        redirectHandler(
            AnyRedirectHandler { task, response, newRequest, completionHandler in
                block(
                    KF.RedirectPayload(
                        task: task,
                        response: response,
                        newRequest: newRequest,
                        completionHandler: completionHandler
                    )
                )
            }
        )
    }
}

extension KF {
    /// The arguments of a closure that decides about a redirect.
    public struct RedirectPayload {
        /// The download.
        public let task: SessionDataTask

        /// The redirect response.
        public let response: HTTPURLResponse

        /// The request to the new location.
        public let newRequest: URLRequest

        /// Must be called exactly once, with the request to send, or nil to stop at the redirect.
        public let completionHandler: (URLRequest?) -> Void
    }
}
