import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A type that the chained option methods can configure.
///
/// Each method changes the options and returns the receiver. A value type returns a changed copy,
/// made by ``copyForMutation()``.
@MainActor
public protocol KFOptionSetter {
    /// The options under construction.
    var options: KingfisherParsedOptionsInfo { get nonmutating set }

    /// Called with the error of a failed load.
    var onFailureDelegate: Delegate<KingfisherError, Void> { get }

    /// Called with the result of a load.
    var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { get }

    /// Called with received and expected bytes.
    var onProgressDelegate: Delegate<(Int64, Int64), Void> { get }

    /// Returns the object that the chained methods change and return.
    func copyForMutation() -> Self
}

extension KFOptionSetter {
    /// Returns `self`, which suits reference types.
    public func copyForMutation() -> Self { self }

    /// Sets one option on the result of ``copyForMutation()``.
    func setting<Value>(
        _ option: WritableKeyPath<KingfisherParsedOptionsInfo, Value>,
        to value: Value
    ) -> Self {
        let copy = copyForMutation()
        copy.options[keyPath: option] = value
        return copy
    }
}

// MARK: Hooks

/// The target of the hooks' closures; it is never deallocated, so the closures stay active.
private final class HookOwner: Sendable {
    static let shared = HookOwner()
}

extension KFOptionSetter {
    /// Sets the progress handler; replaces the previous one.
    public func onProgress(_ block: DownloadProgressBlock?) -> Self {
        let copy = copyForMutation()
        copy.onProgressDelegate.delegate(
            on: HookOwner.shared,
            block: block.map { block in { _, progress in block(progress.0, progress.1) } }
        )
        return copy
    }

    /// Sets the success handler; replaces the previous one.
    public func onSuccess(_ block: ((RetrieveImageResult) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onSuccessDelegate.delegate(
            on: HookOwner.shared,
            block: block.map { block in { _, result in block(result) } }
        )
        return copy
    }

    /// Sets the failure handler; replaces the previous one.
    public func onFailure(_ block: ((KingfisherError) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onFailureDelegate.delegate(
            on: HookOwner.shared,
            block: block.map { block in { _, error in block(error) } }
        )
        return copy
    }
}

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
