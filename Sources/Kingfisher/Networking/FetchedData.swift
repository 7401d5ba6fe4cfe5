public import Foundation

/// The bytes of a source with their response.
struct FetchedData: Sendable {
    let data: Data
    /// The URL of the request that was sent; nil for a provider.
    var url: URL?
    var response: TransferResponse?
    var metrics: NetworkMetrics?
    /// This caller's token of the download; nil for a provider.
    private(set) var token: DownloadToken<SessionDataTask>?
    private let decoding: DecodeRequest

    /// The data of a provider.
    init(_ data: Data, _ decoding: DecodeRequest) {
        self.data = data
        self.decoding = decoding
    }

    /// The data that one caller received from a download.
    init(
        _ body: DownloadedBody,
        of token: DownloadToken<SessionDataTask>,
        _ decoding: DecodeRequest
    ) {
        data = body.data
        url = token.download.request.url
        response = body.response
        metrics = NetworkMetrics(body.metrics)
        self.token = token
        self.decoding = decoding
    }

    /// Returns the image that the caller's processor makes from the bytes; shared with other
    /// callers of the download.
    func image(by maker: ImageMaker) async throws -> KFCrossPlatformImage {
        let encoded = token?.download.attachment.encoded ?? EncodedImage()
        encoded.supply(data)
        return try await encoded.image(decoding, by: maker)
    }
}

/// The durations and byte counts of a download.
public struct NetworkMetrics: Sendable {
    // A class, because each load passes the metrics through all of its stages.
    private final class Storage: Sendable {
        let transfer: TransferMetrics

        init(_ transfer: TransferMetrics) { self.transfer = transfer }
    }

    private let storage: Storage

    /// Makes metrics from those of a transport.
    public init(_ transfer: TransferMetrics) { storage = Storage(transfer) }

    /// The metrics of the transport.
    public var transfer: TransferMetrics { storage.transfer }

    /// The time from the end of queueing to the last byte, in seconds.
    public var retrieveImageDuration: TimeInterval? {
        (transfer.total - transfer.queue).inSeconds
    }

    /// The time from the start to the end in seconds, including waiting and redirects.
    public var totalRequestDuration: TimeInterval { transfer.total.inSeconds }

    /// The time of name resolution in seconds; nil on a reused connection.
    public var domainLookupDuration: TimeInterval? { transfer.dns?.inSeconds }

    /// The time of connecting in seconds; nil on a reused connection.
    public var connectDuration: TimeInterval? { transfer.connect?.inSeconds }

    /// The time of the TLS handshake in seconds; nil without one.
    public var secureConnectionDuration: TimeInterval? { transfer.tls?.inSeconds }

    /// Bytes of the request's body.
    public var requestBodyBytesSent: Int64 { Int64(transfer.bytesSent) }

    /// Bytes of the response's body, after decoding.
    public var responseBodyBytesReceived: Int64 { Int64(transfer.bytes) }

    /// The status code of the response.
    public var httpStatusCode: Int? { transfer.statusCode }

    /// The number of followed redirects.
    public var redirectCount: Int { transfer.redirectCount }

    /// Bytes per second; nil if nothing was received or the time is unknown.
    public var downloadSpeed: Double? {
        guard let duration = retrieveImageDuration, duration > 0, responseBodyBytesReceived > 0
        else { return nil }
        return Double(responseBodyBytesReceived) / duration
    }

    /// MiB (1,048,576 bytes) per second; nil if nothing was received or the time is unknown.
    public var downloadSpeedMBps: Double? {
        downloadSpeed.map { $0 / 1_048_576 }
    }
}
