public import Foundation

/// What a download took.
public struct NetworkMetrics: Sendable {
    // Each load hands them on through all of its stages.
    private final class Storage: Sendable {
        let transfer: TransferMetrics

        init(_ transfer: TransferMetrics) { self.transfer = transfer }
    }

    private let storage: Storage

    /// Makes metrics from what a transport measured.
    public init(_ transfer: TransferMetrics) { storage = Storage(transfer) }

    /// The phases as the transport measured them.
    public var transfer: TransferMetrics { storage.transfer }

    /// Seconds from the request's end of queueing to the last byte.
    public var retrieveImageDuration: TimeInterval? {
        (transfer.total - transfer.queue).inSeconds
    }

    /// Seconds from the start to the end, with waiting and redirects.
    public var totalRequestDuration: TimeInterval { transfer.total.inSeconds }

    /// Seconds of name resolution; nil on a reused connection.
    public var domainLookupDuration: TimeInterval? { transfer.dns?.inSeconds }

    /// Seconds of connecting; nil on a reused connection.
    public var connectDuration: TimeInterval? { transfer.connect?.inSeconds }

    /// Seconds of the TLS handshake; nil without one.
    public var secureConnectionDuration: TimeInterval? { transfer.tls?.inSeconds }

    /// Bytes of the request's body.
    public var requestBodyBytesSent: Int64 { Int64(transfer.bytesSent) }

    /// Bytes of the response's body, decoded.
    public var responseBodyBytesReceived: Int64 { Int64(transfer.bytes) }

    /// The status of the response.
    public var httpStatusCode: Int? { transfer.statusCode }

    /// How many redirects were followed.
    public var redirectCount: Int { transfer.redirectCount }

    /// Bytes per second; nil when nothing was received or the time is unknown.
    public var downloadSpeed: Double? {
        guard let duration = retrieveImageDuration, duration > 0, responseBodyBytesReceived > 0
        else { return nil }
        return Double(responseBodyBytesReceived) / duration
    }

    /// MiB (1,048,576 bytes) per second; nil when nothing was received or the time is unknown.
    public var downloadSpeedMBps: Double? {
        downloadSpeed.map { $0 / 1_048_576 }
    }
}
