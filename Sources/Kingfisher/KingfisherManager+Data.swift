import Foundation

extension KingfisherManager {
    /// Retrieves the image of a resource as the bytes of a file; see the overload for a source.
    public func retrieveData(
        with resource: any Resource,
        options: KingfisherOptionsInfo? = nil,
        as encoding: ImageEncoding? = nil
    ) async throws -> RetrieveDataResult {
        try await retrieveData(with: resource.convertToSource(), options: options, as: encoding)
    }

    /// Retrieves an image as the bytes of a file: for programs that hand files on.
    ///
    /// Bytes that the disk cache has are returned as they are, without decoding anything. Otherwise
    /// the image is loaded as by ``retrieveImage(with:options:progressBlock:)-(Source,_,_)``, encoded
    /// once, and stored on disk under the processor's identifier and the encoding's. A processed image
    /// is not stored beside it as the cache's serializer would write it. Image modifiers are not
    /// applied, since they do not change what is stored. With
    /// ``KingfisherOptionsInfoItem/httpCaching`` the image's entry alone is stored, and an `encoding`
    /// is written each time.
    ///
    /// - Parameters:
    ///   - source: Where the image comes from.
    ///   - options: What to do, over the manager's ``defaultOptions``.
    ///   - encoding: The format and its quality. Nil takes the file that the cache keeps: the download
    ///     if it is not processed, else what the cache's serializer writes. An animation that has the
    ///     format already stays as it is.
    /// - Returns: The file and its content type.
    /// - Throws: `CancellationError` when the task was cancelled before the call, otherwise
    ///   ``KingfisherError``; `cannotSerializeImage` if the format cannot hold the image.
    public func retrieveData(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        as encoding: ImageEncoding? = nil
    ) async throws -> RetrieveDataResult {
        try Task.checkCancellation()
        var parsed = KingfisherParsedOptionsInfo(resolved(options))
        parsed.imageModifier = nil
        let stage = EncodingStage(request(source, parsed), as: encoding)
        // By the rules of HTTP a load has to say first whether what is stored is fresh.
        if !parsed.httpCaching, let data = await stage.stored(of: source) {
            return RetrieveDataResult(
                data: data,
                cacheType: .disk,
                source: source,
                originalSource: source
            )
        }
        let result = try await load(request(source, stage.loadOptions)).get()
        let isCached = parsed.httpCaching && result.cacheType != .none
        let data: Data
        if isCached, let stored = await stage.stored(of: result.source) {
            data = stored
        } else {
            data = try await stage.bytes(of: result)
        }
        return RetrieveDataResult(
            data: data,
            cacheType: result.cacheType,
            source: result.source,
            originalSource: result.originalSource,
            metrics: result.metrics
        )
    }
}
