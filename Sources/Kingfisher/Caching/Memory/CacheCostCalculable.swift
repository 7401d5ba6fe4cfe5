/// A value that knows its size in memory.
public protocol CacheCostCalculable {
    /// The size of the value in memory in bytes, as exactly as possible.
    var cacheCost: Int { get }
}
