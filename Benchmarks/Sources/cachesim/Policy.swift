/// A cache that is only asked whether it would have had what is wanted.
protocol Policy {
    var name: String { get }

    /// Whether the object is there; if not, it is put there.
    mutating func request(_ object: Int32, size: Int) -> Bool
}
