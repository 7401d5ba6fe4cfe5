/// What a transfer cost, phase by phase.
///
/// The phases are those of the last request of a redirect chain; `queue` and `total` cover all.
public struct TransferMetrics: Sendable, Hashable {
    /// Time spent waiting for a free connection.
    public var queue: Duration = .zero
    /// Name resolution; `nil` on a reused connection.
    public var dns: Duration?
    /// TCP handshake; `nil` on a reused connection.
    public var connect: Duration?
    /// TLS handshake; `nil` without TLS and on a reused connection.
    public var tls: Duration?
    /// From the request's last byte to the answer's first.
    public var firstByte: Duration?
    /// From the answer's first byte to its last.
    public var body: Duration?
    /// From `start` to the end, with redirects and waiting.
    public var total: Duration = .zero
    /// Bytes of the body as delivered, after decoding.
    public var bytes = 0
    /// Bytes of the body that an earlier, interrupted transfer had fetched; not in ``bytes``.
    public var resumedBytes = 0
    /// Bytes of the body on the wire, before decoding.
    public var wireBytes = 0
    /// Bytes of the request's body.
    public var bytesSent = 0
    /// Whether an open connection served the request.
    public var connectionReused = false
    /// ALPN name of the protocol: `http/1.1`, `h2`, `h3`.
    public var protocolName: String?
    /// Redirects followed.
    public var redirectCount = 0
    /// Status of the last answer.
    public var statusCode: Int?
    /// Numeric address of the peer.
    public var remoteAddress: String?

    /// Creates metrics of a transfer that has not done anything.
    public init() {}
}
