import Foundation

/// The bytes of a source, with what is known about them.
struct FetchedData: Sendable {
    private(set) var data: Data
    /// The URL that was really requested; nil for a provider.
    var url: URL?
    var response: TransferResponse?
    var metrics: NetworkMetrics?
    /// The download that the bytes came from; nil for a provider.
    private(set) var sessionTask: SessionDataTask?

    init(
        data: Data,
        url: URL? = nil,
        response: TransferResponse? = nil,
        metrics: NetworkMetrics? = nil,
        sessionTask: SessionDataTask? = nil
    ) {
        self.data = data
        self.url = url
        self.response = response
        self.metrics = metrics
        self.sessionTask = sessionTask
    }

    func with(data: Data) -> FetchedData {
        var copy = self
        copy.data = data
        return copy
    }

    func with(sessionTask: SessionDataTask?) -> FetchedData {
        var copy = self
        copy.sessionTask = sessionTask
        return copy
    }

    /// Tells whether two callers have the same bytes: those of one download.
    var identity: ProcessingJobs.Key.Input {
        sessionTask.map { .download(ObjectIdentifier($0)) } ?? .unshared(UUID())
    }
}
