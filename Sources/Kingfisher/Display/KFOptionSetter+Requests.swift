import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension KFOptionSetter {
    /// Sets what changes the request before it is sent.
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

    /// Sets what decides about HTTP redirects.
    public func redirectHandler(_ handler: any ImageDownloadRedirectHandler) -> Self {
        setting(\.redirectHandler, to: handler)
    }

    /// Sets a closure that decides about HTTP redirects; it must call the payload's completion
    /// handler exactly once.
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
    /// What a closure that decides about a redirect gets.
    public struct RedirectPayload {
        /// The download.
        public let task: SessionDataTask

        /// The response that redirects.
        public let response: HTTPURLResponse

        /// The request that would follow.
        public let newRequest: URLRequest

        /// To be called exactly once, with the request to follow, or nil to stop at the redirect.
        public let completionHandler: (URLRequest?) -> Void
    }
}
