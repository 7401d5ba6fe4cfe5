import Foundation

/// Makes the image from fetched bytes or a cached image.
struct ProcessStage {
    let request: LoadRequest

    private var processing: ImageMaker { request.processing }

    /// Makes the image from the result of a source.
    func run(_ output: FetchStage.Output) async throws -> LoadedImage {
        switch output {
        case .image(let result):
            return LoadedImage(
                image: result.image,
                data: result.originalData,
                isDecodedFromData: false,
                metrics: result.metrics
            )
        case .data(let fetched):
            let image = try await fetched.image(request.options, by: processing)
            request.downloader.announce(image, of: fetched)
            return LoadedImage(
                image: image,
                data: fetched.data,
                metrics: fetched.metrics,
                response: fetched.response,
                token: fetched.token
            )
        }
    }

    /// Makes the image of a finding; nil if it is missing or damaged.
    func run(_ finding: LookupStage.Finding) async throws -> StoredImage? {
        switch finding.material {
        case .image(let image, _):
            let made = try await finding.isOriginal ? processed(image) : run(cached: image)
            return StoredImage(image: made, metadata: nil)
        case .entry(let entry):
            guard let stored = try await entry.image(for: request) else { return nil }
            guard entry.needsProcessing else { return stored }
            return StoredImage(
                image: try await processed(stored.image),
                metadata: stored.metadata
            )
        }
    }

    private func processed(_ image: KFCrossPlatformImage) async throws -> KFCrossPlatformImage {
        try await processing.image(of: .image(image), options: request.options)
    }

    /// Adapts a cached image: runs the processor if it has not run, and makes an animation again
    /// from its bytes if it was made with other creating options.
    private func run(cached image: KFCrossPlatformImage) async throws -> KFCrossPlatformImage {
        let options = request.options
        var image = image
        if request.storesRawBytes, !request.targetCache.holdsProcessedImage(request.entry) {
            image = try await processed(image)
        }
        guard image.isAnimation(otherThan: options.imageCreatingOptions),
            let file = image.animationFile
        else { return image }
        var remaking = options
        if file.isUntrusted { remaking.isolated = true }
        // Its bytes are the result of the processor, which must not run twice.
        if options.processor is AnimatedImageProcessor {
            remaking.processor = DefaultImageProcessor.default
        }
        // A hit must not fail: an image that cannot be made again is replaced by an empty one.
        return (try? await processing.image(of: .data(file.data), options: remaking))
            ?? KFCrossPlatformImage()
    }
}

extension KFCrossPlatformImage {
    /// Whether it is an animation with its bytes that was made with other options.
    func isAnimation(otherThan options: ImageCreatingOptions) -> Bool {
        guard let count = kf.imageFrameCount, count != 1, kf.gifRepresentation() != nil else {
            return false
        }
        return kf.creatingOptions != options
    }
}

/// An image that was loaded rather than found in a cache.
struct LoadedImage: Sendable {
    let image: KFCrossPlatformImage
    /// The bytes it was made from; nil if it was made from another image.
    let data: Data?
    /// Whether the image is certainly that of `data`; a subclass of the downloader returns any pair.
    var isDecodedFromData = true
    var metrics: NetworkMetrics?
    /// The head of the response with the bytes.
    var response: TransferResponse?
    /// Whether the original is already in its cache.
    var originalIsStored = false
    /// The load's token of the download; later loads can join until it is released.
    var token: DownloadToken?
}
