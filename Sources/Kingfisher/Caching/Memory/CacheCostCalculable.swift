/// A value that knows how much memory it takes.
public protocol CacheCostCalculable {
    /// The memory that the value takes, in bytes, as well as it can be told.
    var cacheCost: Int { get }
}
