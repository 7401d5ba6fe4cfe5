/// The time spent in each stage of a load; nil for a skipped stage.
public struct LoadTimings: Sendable, Hashable {
    /// The lookup in memory and on disk, including reading and decoding the cached file.
    public internal(set) var lookup: Duration?

    /// Downloading, or reading from a provider.
    public internal(set) var fetch: Duration?

    /// Decoding and processing.
    public internal(set) var process: Duration?

    /// Storing in memory, and on disk if the load waited for it.
    public internal(set) var store: Duration?

    /// Asking the ``SharedImageStorage``, which is a part of ``lookup``, and waiting for another
    /// machine.
    public internal(set) var sharedStorage: Duration?

    /// From the call to the result.
    public internal(set) var total: Duration?

    init() {}
}
