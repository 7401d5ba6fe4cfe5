/// Makes results without a manager, for programs that keep files and results themselves.
@_spi(Server) public enum FileRenderer {
    /// Loads a provider: a page of a document or a frame of a video as an image, others as a file.
    ///
    /// - Parameter provider: The provider.
    /// - Returns: An item to render.
    /// - Throws: The error of the provider.
    public static func item(
        of provider: any ImageDataProvider
    ) async throws -> ImageProcessItem {
        guard let provider = provider as? any PreparedDataProvider else {
            return .data(try await provider.data())
        }
        switch try await provider.content(for: nil) {
        case .file(let file): return .data(file)
        case .pixels(let bitmap): return .image(KFCrossPlatformImage(bitmap: bitmap, scale: 1))
        }
    }

    /// Makes something of the image that a processor makes of a file, or of a drawn image.
    ///
    /// No cache is asked, and nothing is stored. Everything runs in one task on the threads for
    /// decoding, within the memory budget of all decoding and, with
    /// ``KingfisherOptionsInfoItem/isolated``, in worker processes.
    ///
    /// - Parameters:
    ///   - item: The encoded file, or the image.
    ///   - options: The processor and the options that decoding depends on are used.
    ///   - use: Called once on a thread for decoding, for example to encode the image. It may block.
    /// - Returns: The result of `use`.
    /// - Throws: ``KingfisherError`` if no image can be made, the error of `use`, or
    ///   `CancellationError` as soon as the task is cancelled, even if `use` is still running.
    public static func render<Result: Sendable>(
        _ item: ImageProcessItem,
        options: KingfisherOptionsInfo,
        _ use: @escaping @Sendable (KFCrossPlatformImage) throws -> Result
    ) async throws -> Result {
        let maker = ImageMaker.direct
        let request = DecodeRequest(KingfisherParsedOptionsInfo(options))
        let lane = Lane(in: maker.pool, priority: request.options.priority, for: maker)
        return try await Job.run(in: lane) { _ in
            let image: KFCrossPlatformImage
            switch item {
            case .data(let file):
                let encoded = EncodedImage()
                encoded.supply(file)
                image = try await encoded.image(request, by: maker, in: lane)
            case .image: image = try await maker.image(of: item, request.options, in: lane)
            }
            try Task.checkCancellation()
            return try use(image)
        }
    }
}
