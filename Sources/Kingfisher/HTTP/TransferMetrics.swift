/// The durations and byte counts of a transfer.
///
/// The phases are those of the last request of a redirect chain; `queue` and `total` cover all
/// requests.
public struct TransferMetrics: Sendable, Hashable {
    /// Time spent waiting for a free connection.
    public var queue: Duration = .zero
    /// Name resolution; `nil` on a reused connection.
    public var dns: Duration?
    /// TCP handshake; `nil` on a reused connection.
    public var connect: Duration?
    /// TLS handshake; `nil` without TLS and on a reused connection.
    public var tls: Duration?
    /// From the last byte of the request to the first byte of the response.
    public var firstByte: Duration?
    /// From the first byte of the response to its last.
    public var body: Duration?
    /// From `start` to the end, including redirects and waiting.
    public var total: Duration = .zero
    /// Bytes of the body delivered, after decoding.
    public var bytes = 0
    /// Bytes of the body received by an earlier, interrupted transfer; not included in ``bytes``.
    public var resumedBytes = 0
    /// Bytes of the body on the wire, before decoding.
    public var wireBytes = 0
    /// Bytes of the request's body.
    public var bytesSent = 0
    /// Whether an existing connection was used.
    public var connectionReused = false
    /// ALPN name of the protocol: `http/1.1`, `h2`, `h3`.
    public var protocolName: String?
    /// Redirects followed.
    public var redirectCount = 0
    /// The status of the last response.
    public var statusCode: Int?
    /// The numeric address of the peer.
    public var remoteAddress: String?

    /// Creates empty metrics.
    public init() {}
}
