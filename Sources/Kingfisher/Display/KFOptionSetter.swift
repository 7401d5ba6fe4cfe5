import Foundation

/// Anything that the chain methods can configure.
///
/// Each method changes the options and gives the receiver back; a value type gives a changed copy,
/// because it copies itself in ``copyForMutation()``.
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

    /// What the chain methods change and give back.
    func copyForMutation() -> Self
}

extension KFOptionSetter {
    /// Itself, as for any reference type.
    public func copyForMutation() -> Self { self }

    /// Sets one option on what ``copyForMutation()`` gives.
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

/// What the hooks' closures hang on: they live as long as the process, the slots hold them.
private final class HookOwner: Sendable {
    static let shared = HookOwner()
}

extension KFOptionSetter {
    /// Sets the progress closure; the last one set counts.
    public func onProgress(_ block: DownloadProgressBlock?) -> Self {
        let copy = copyForMutation()
        copy.onProgressDelegate.delegate(
            on: HookOwner.shared,
            block: block.map { block in { _, progress in block(progress.0, progress.1) } }
        )
        return copy
    }

    /// Sets the success closure; the last one set counts.
    public func onSuccess(_ block: ((RetrieveImageResult) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onSuccessDelegate.delegate(
            on: HookOwner.shared,
            block: block.map { block in { _, result in block(result) } }
        )
        return copy
    }

    /// Sets the failure closure; the last one set counts.
    public func onFailure(_ block: ((KingfisherError) -> Void)?) -> Self {
        let copy = copyForMutation()
        copy.onFailureDelegate.delegate(
            on: HookOwner.shared,
            block: block.map { block in { _, error in block(error) } }
        )
        return copy
    }
}
