/// What a command on a cache has to tell.
protocol CacheReport: Encodable {
    /// For people.
    func summary() -> String
}
