public import Foundation

/// What a download took.
public struct NetworkMetrics: Sendable {
    /// The phases as the transport measured them.
    public let transfer: TransferMetrics

    /// Seconds from the request's end of queueing to the last byte.
    public let retrieveImageDuration: TimeInterval?
    /// Seconds from the start to the end, with waiting and redirects.
    public let totalRequestDuration: TimeInterval
    /// Seconds of name resolution; nil on a reused connection.
    public let domainLookupDuration: TimeInterval?
    /// Seconds of connecting; nil on a reused connection.
    public let connectDuration: TimeInterval?
    /// Seconds of the TLS handshake; nil without one.
    public let secureConnectionDuration: TimeInterval?
    /// Bytes of the request's body.
    public let requestBodyBytesSent: Int64
    /// Bytes of the response's body, decoded.
    public let responseBodyBytesReceived: Int64
    /// The status of the response.
    public let httpStatusCode: Int?
    /// How many redirects were followed.
    public let redirectCount: Int

    /// Makes metrics from what a transport measured.
    public init(_ transfer: TransferMetrics) {
        self.transfer = transfer
        retrieveImageDuration = (transfer.total - transfer.queue).inSeconds
        totalRequestDuration = transfer.total.inSeconds
        domainLookupDuration = transfer.dns?.inSeconds
        connectDuration = transfer.connect?.inSeconds
        secureConnectionDuration = transfer.tls?.inSeconds
        requestBodyBytesSent = Int64(transfer.bytesSent)
        responseBodyBytesReceived = Int64(transfer.bytes)
        httpStatusCode = transfer.statusCode
        redirectCount = transfer.redirectCount
    }

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
