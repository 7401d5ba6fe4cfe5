public import Foundation

/// Makes results of files without a manager, for programs that keep files and results themselves.
@_spi(Server) public enum FileRenderer {
    /// Makes something of the image that a processor makes of a file.
    ///
    /// No cache is asked, and nothing is stored. Everything runs in one task on the threads for
    /// decoding, within the memory budget of all decoding and, with
    /// ``KingfisherOptionsInfoItem/isolated``, in worker processes.
    ///
    /// - Parameters:
    ///   - file: The encoded file.
    ///   - options: The processor and the options that decoding depends on are used.
    ///   - use: Called once on a thread for decoding, for example to encode the image. It may block.
    /// - Returns: The result of `use`.
    /// - Throws: ``KingfisherError`` if no image can be made, the error of `use`, or
    ///   `CancellationError` as soon as the task is cancelled, even if `use` is still running.
    public static func render<Result: Sendable>(
        _ file: Data,
        options: KingfisherOptionsInfo,
        _ use: @escaping @Sendable (KFCrossPlatformImage) throws -> Result
    ) async throws -> Result {
        let maker = ImageMaker.direct
        let request = DecodeRequest(KingfisherParsedOptionsInfo(options))
        let lane = Lane(in: maker.pool, priority: request.options.priority, for: maker)
        return try await Job.run(in: lane) { _ in
            let encoded = EncodedImage()
            encoded.supply(file)
            let image = try await encoded.image(request, by: maker, in: lane)
            try Task.checkCancellation()
            return try use(image)
        }
    }
}
