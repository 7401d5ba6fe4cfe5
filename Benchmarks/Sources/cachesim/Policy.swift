/// A simulated cache, which only reports hits.
protocol Policy {
    var name: String { get }

    /// Returns whether the object is cached; stores it otherwise.
    mutating func request(_ object: Int32, size: Int) -> Bool
}
