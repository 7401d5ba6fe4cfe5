import Foundation

/// Turns what was fetched into the image.
struct ProcessStage {
    let request: LoadRequest
    let processing: ProcessingJobs

    func run(_ output: FetchStage.Output) async throws -> LoadedImage {
        switch output {
        case .image(let result):
            return LoadedImage(
                image: result.image,
                data: result.originalData,
                metrics: result.metrics
            )
        case .data(let fetched):
            let image = try await processing.image(
                of: .data(fetched.data),
                options: request.options,
                input: fetched.identity
            )
            request.downloader.announce(image, of: fetched)
            return LoadedImage(image: image, data: fetched.data, metrics: fetched.metrics)
        }
    }
}

/// An image that was loaded and not found in a cache.
struct LoadedImage: Sendable {
    let image: KFCrossPlatformImage
    /// The bytes that it was made from; nil when it was made from another image.
    let data: Data?
    var metrics: NetworkMetrics?
    /// Whether the original is in its cache already.
    var originalIsStored = false
}
