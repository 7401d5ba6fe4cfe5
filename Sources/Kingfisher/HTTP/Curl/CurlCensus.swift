/// What a transport holds at one moment.
package struct CurlCensus: Sendable, Equatable {
    /// Transfers that have a libcurl handle in use.
    package var running: Int
    /// Transfers that wait for a connection.
    package var queued: Int
    /// Transfers that have not ended, whatever they wait for.
    package var alive: Int
}
