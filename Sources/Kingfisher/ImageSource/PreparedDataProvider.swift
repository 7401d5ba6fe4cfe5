/// What a load gives to its provider.
struct ProviderContext: Sendable {
    let downloader: ImageDownloader
    let options: KingfisherParsedOptionsInfo

    /// Whether the content is only processed, and neither stored nor delivered.
    var isTransient: Bool {
        !options.cacheOriginalImage && !(options.processor is DefaultImageProcessor)
            && !(options.processor is OriginalBytesProcessor)
    }
}

/// A provider that reads its content as the load asks for it.
protocol PreparedDataProvider: ImageDataProvider {
    /// The provider for a load.
    func prepared(for context: ProviderContext) -> Self
}

extension ThumbnailImageDataProvider: PreparedDataProvider {
    /// Decodes the file in a worker process if the load is isolated.
    func prepared(for context: ProviderContext) -> Self {
        var thumbnail = self
        thumbnail.isIsolated = context.options.isolated
        return thumbnail
    }
}

extension VideoFrameDataProvider: PreparedDataProvider {
    /// Downloads the parts of a film as the load would download an image.
    func prepared(for context: ProviderContext) -> Self {
        var frame = self
        frame.context = context
        return frame
    }
}

extension AVAssetImageDataProvider: PreparedDataProvider {
    /// See ``VideoFrameDataProvider``.
    func prepared(for context: ProviderContext) -> Self {
        var asset = self
        asset.frame = frame.prepared(for: context)
        return asset
    }
}

extension PDFPageDataProvider: PreparedDataProvider {
    /// Draws the page in the size that the load's processor needs.
    func prepared(for context: ProviderContext) -> Self {
        let options = context.options
        var page = self
        page.isTransient = context.isTransient
        // A page is a still, which a processor of animations passes on to its own.
        let processor =
            (options.processor as? AnimatedImageProcessor)?.processor ?? options.processor
        // An original in the cache is for all processors.
        guard !options.cacheOriginalImage, let sizing = processor as? any SizedDecoding else {
            return page
        }
        page.sizing = (sizing, options.scaleFactor)
        return page
    }
}
