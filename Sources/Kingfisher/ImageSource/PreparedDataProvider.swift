/// What a load gives to its provider.
struct ProviderContext: Sendable {
    let downloader: ImageDownloader
    let options: KingfisherParsedOptionsInfo

    /// Whether the content is only processed, and neither stored nor delivered.
    var isTransient: Bool {
        !options.cacheOriginalImage && !options.processor.onlyDecodes
            && !options.processor.carriesFile
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
        var traits = Traits(of: options.processor)
        // A page is a still, which a processor of animations passes on to its own.
        if case .frames(let inner, _) = traits.kind { traits = Traits(of: inner) }
        // An original in the cache is for all processors.
        if !options.cacheOriginalImage { page.sizing = (traits.decodedSize, options.scaleFactor) }
        return page
    }
}
