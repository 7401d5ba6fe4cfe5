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

    /// Makes the image from a cached original.
    func run(original: KFCrossPlatformImage) async throws -> LoadedImage {
        let image = try await processing.image(of: .image(original), options: request.options)
        return LoadedImage(image: image, data: nil, originalIsStored: true)
    }

    /// Makes the image from an original on disk; nil if it is missing or damaged.
    func run(
        original entry: StoredEntry
    ) async throws -> (loaded: LoadedImage, metadata: EntryMetadata?)? {
        guard let stored = try await entry.image(for: request) else { return nil }
        guard !request.options.processor.prefersBytes else {
            let loaded = LoadedImage(image: stored.image, data: nil, originalIsStored: true)
            return (loaded, stored.metadata)
        }
        return (try await run(original: stored.image), stored.metadata)
    }

    /// Makes the image of an entry on disk; nil if it is missing or damaged.
    func run(stored entry: StoredEntry) async throws -> StoredImage? {
        guard let stored = try await entry.image(for: request) else { return nil }
        guard entry.tag == ImageCache.Tag.unprocessed else { return stored }
        let image = try await processing.image(of: .image(stored.image), options: request.options)
        return StoredImage(image: image, metadata: stored.metadata)
    }

    /// Adapts a cached image: runs the processor if it has not run, and makes an animation again
    /// from its bytes if it was made with other creating options.
    func run(cached image: KFCrossPlatformImage) async throws -> KFCrossPlatformImage {
        let options = request.options
        var image = image
        if request.storesRawBytes, !request.targetCache.holdsProcessedImage(request.entry) {
            image = try await processing.image(of: .image(image), options: options)
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
