import Foundation

extension KingfisherManager {
    /// Retrieves the image of a resource as an encoded file.
    ///
    /// See ``retrieveData(with:options:as:)-(Source,_,_)``.
    public func retrieveData(
        with resource: any Resource,
        options: KingfisherOptionsInfo? = nil,
        as encoding: ImageEncoding? = nil
    ) async throws -> RetrieveDataResult {
        try await retrieveData(with: resource.convertToSource(), options: options, as: encoding)
    }

    /// Retrieves an image as an encoded file, for programs that serve or forward files.
    ///
    /// Bytes in the disk cache are returned as they are, without decoding. Otherwise the image is
    /// loaded as by ``retrieveImage(with:options:progressBlock:)-(Source,_,_)``, encoded once, and
    /// stored on disk under the identifiers of the processor and the encoding. The processed image
    /// is then not also stored in the form that the cache's serializer would write. Image modifiers
    /// are not applied, since they do not affect stored bytes. With
    /// ``KingfisherOptionsInfoItem/httpCaching`` only the image's own entry is stored, and
    /// `encoding` is applied on every call.
    ///
    /// - Parameters:
    ///   - source: The source of the image.
    ///   - options: Options for this load; they override the manager's ``defaultOptions``.
    ///   - encoding: The format and its quality. Nil returns the file that the cache stores: the
    ///     download if it is not processed, otherwise the output of the cache's serializer. An
    ///     animation that is already in the requested format is not encoded again.
    /// - Returns: The file and its content type.
    /// - Throws: `CancellationError` if the task was cancelled before the call, otherwise
    ///   ``KingfisherError``; `cannotSerializeImage` if the format cannot represent the image.
    public func retrieveData(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        as encoding: ImageEncoding? = nil
    ) async throws -> RetrieveDataResult {
        let parsed = KingfisherParsedOptionsInfo(resolved(options))
        return try await retrieveData(with: source, parsedOptions: parsed, as: encoding)
    }

    /// See ``retrieveData(with:options:as:)-(Source,_,_)``; the manager's default options are not
    /// added.
    package func retrieveData(
        with source: Source,
        parsedOptions: KingfisherParsedOptionsInfo,
        as encoding: ImageEncoding? = nil
    ) async throws -> RetrieveDataResult {
        try Task.checkCancellation()
        var parsed = parsedOptions
        parsed.imageModifier = nil
        let stage = EncodingStage(request(source, parsed), as: encoding)
        // HTTP caching has to check the freshness of the stored entry first, so it always loads.
        if !parsed.httpCaching, let data = await stage.stored(of: source) {
            return .cached(data, of: source)
        }
        var lease: SharedLease?
        switch try await stage.claim(of: source) {
        case .granted(let granted): lease = granted
        case .made:
            if let data = await stage.stored(of: source) {
                return .cached(data, of: source)
            }
        case .none: break
        }
        let result = try await load(request(source, stage.loadOptions))
        let isCached = parsed.httpCaching && result.cacheType != .none
        let data: Data
        if isCached, let stored = await stage.stored(of: result.source) {
            data = stored
        } else {
            data = try await stage.bytes(of: result, lease)
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

extension RetrieveDataResult {
    fileprivate static func cached(_ data: Data, of source: Source) -> RetrieveDataResult {
        RetrieveDataResult(data: data, cacheType: .disk, source: source, originalSource: source)
    }
}
