import Foundation

/// Makes the image from fetched bytes or a cached image.
struct ProcessStage {
    let request: LoadRequest

    private var processing: ProcessingJobs { request.processing }

    /// The image of what a source gave.
    func run(_ output: FetchStage.Output) async throws -> LoadedImage {
        switch output {
        case .image(let result):
            return LoadedImage(
                image: result.image,
                data: result.originalData,
                metrics: result.metrics
            )
        case .data(let fetched):
            let image = try await fetched.image(request.options, on: processing)
            request.downloader.announce(image, of: fetched)
            return LoadedImage(
                image: image,
                data: fetched.data,
                metrics: fetched.metrics,
                token: fetched.token
            )
        }
    }

    /// The image of a cached original.
    func run(original: KFCrossPlatformImage) async throws -> LoadedImage {
        let image = try await processing.image(of: .image(original), options: request.options)
        return LoadedImage(image: image, data: nil, originalIsStored: true)
    }

    /// The image of an original on disk; nil when that is gone or damaged.
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

    /// The image of an entry on disk; nil when that is gone or damaged.
    func run(stored entry: StoredEntry) async throws -> StoredImage? {
        guard let stored = try await entry.image(for: request) else { return nil }
        guard entry.tag == ImageCache.Tag.unprocessed else { return stored }
        let image = try await processing.image(of: .image(stored.image), options: request.options)
        return StoredImage(image: image, metadata: stored.metadata)
    }

    /// A cached image as it is wanted now: by its processor if that has not seen it, and made
    /// again from its bytes if it is an animation that was made with other creating options.
    func run(cached image: KFCrossPlatformImage) async throws -> KFCrossPlatformImage {
        let options = request.options
        var image = image
        if request.storesRawBytes, !request.targetCache.holdsProcessedImage(request.entry) {
            image = try await processing.image(of: .image(image), options: options)
        }
        guard image.isAnimation(otherThan: options.imageCreatingOptions),
            let data = image.kf.gifRepresentation()
        else { return image }
        var remaking = options
        // Its bytes are what the processor made: it would do its work a second time.
        if options.processor is AnimatedImageProcessor {
            remaking.processor = DefaultImageProcessor.default
        }
        // A hit stays a hit: what the processor cannot make again is shown as an empty image.
        return (try? await processing.image(of: .data(data), options: remaking))
            ?? KFCrossPlatformImage()
    }
}

extension KFCrossPlatformImage {
    /// Whether it is an animation that still has its bytes, and was made with other options.
    func isAnimation(otherThan options: ImageCreatingOptions) -> Bool {
        guard let count = kf.imageFrameCount, count != 1, kf.gifRepresentation() != nil else {
            return false
        }
        return kf.creatingOptions != options
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
    /// The load's part in a download; a load that comes late can attach until it is given up.
    var token: DownloadToken?
}
