import Foundation

/// The bytes of a source with their response.
struct FetchedData: Sendable {
    private(set) var data: Data
    /// The URL of the request that was sent; nil for a provider.
    var url: URL?
    var response: TransferResponse?
    var metrics: NetworkMetrics?
    /// This caller's token of the download; nil for a provider.
    private(set) var token: DownloadToken?

    init(
        data: Data,
        url: URL? = nil,
        response: TransferResponse? = nil,
        metrics: NetworkMetrics? = nil
    ) {
        self.data = data
        self.url = url
        self.response = response
        self.metrics = metrics
    }

    /// The data that one caller received from a download.
    init(_ body: DownloadedBody, of token: DownloadToken) {
        self.init(
            data: body.data,
            url: token.download.request.url,
            response: body.response,
            metrics: NetworkMetrics(body.metrics)
        )
        self.token = token
    }

    /// Returns the image that the options' processor makes from the bytes; shared with other
    /// callers of the download.
    func image(
        _ options: KingfisherParsedOptionsInfo,
        on processing: ProcessingJobs
    ) async throws -> KFCrossPlatformImage {
        guard let graph = token?.download.task.graph else {
            return try await processing.image(of: .data(data), options: options)
        }
        return try await graph.image(of: data, options: options, on: processing)
    }
}

extension SharedDownload {
    /// The public object for the download.
    var task: SessionDataTask { face { SessionDataTask(request: $0.request, download: $0) } }
}
