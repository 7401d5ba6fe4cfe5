import Foundation

/// The bytes of a source, with what is known about them.
struct FetchedData: Sendable {
    private(set) var data: Data
    /// The URL that was really requested; nil for a provider.
    var url: URL?
    var response: TransferResponse?
    var metrics: NetworkMetrics?
    /// This caller's part in the download that the bytes came from; nil for a provider.
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

    /// What a caller got of a download.
    init(_ body: DownloadedBody, of token: DownloadToken) {
        self.init(
            data: body.data,
            url: token.download.request.url,
            response: body.response,
            metrics: NetworkMetrics(body.metrics)
        )
        self.token = token
    }

    /// The image that the options' processor makes of the bytes, shared with those who have the
    /// same bytes.
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
    /// The public face of the download.
    var task: SessionDataTask { face { SessionDataTask(request: $0.request, download: $0) } }
}
