/// The number of transfers in each state, for tests.
package struct CurlCensus: Sendable, Equatable {
    /// Transfers with a libcurl handle.
    package var running: Int
    /// Transfers waiting for a connection.
    package var queued: Int
    /// All transfers that have not ended.
    package var alive: Int
}
