// `@unchecked`: the wrapper adds no state, so it is as safe to share as its base. It cannot
// require `Sendable` of the base without breaking `view.kf` for main-actor views.
/// The `.kf` namespace around a value or object.
public struct KingfisherWrapper<Base>: @unchecked Sendable {
    /// The wrapped value or object.
    public let base: Base

    /// Wraps a value or object.
    public init(_ base: Base) {
        self.base = base
    }
}

/// A reference type that gets a `.kf` property.
public protocol KingfisherCompatible: AnyObject {}

/// A value type that gets a `.kf` property.
public protocol KingfisherCompatibleValue {}

extension KingfisherCompatible {
    /// The namespace of this library's methods.
    ///
    /// The setter ignores its value; it exists so that `object.kf.property = …` compiles.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}

extension KingfisherCompatibleValue {
    /// The namespace of this library's methods.
    ///
    /// The setter ignores its value; it exists so that `value.kf.property = …` compiles.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}
