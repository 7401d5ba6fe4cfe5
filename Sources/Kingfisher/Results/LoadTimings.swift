/// How long each stage of a load took; nil for a stage that it did not need.
public struct LoadTimings: Sendable, Hashable {
    /// Looking the image up in memory and on disk, reading and decoding the cached file included.
    public internal(set) var lookup: Duration?

    /// Getting the bytes from the network or a provider.
    public internal(set) var fetch: Duration?

    /// Decoding and processing.
    public internal(set) var process: Duration?

    /// Storing in memory, and on disk when the load waited for it.
    public internal(set) var store: Duration?

    /// From the call to the result.
    public internal(set) var total: Duration?

    init() {}
}
