import Foundation
@_spi(Server) import Kingfisher

// The settings of the parts that read URLs, negotiate and draw.
extension ServiceConfiguration {
    /// Checks the values that ``init(environment:)`` does not: presets, the patterns of sources,
    /// the files of the watermark and the fallback, folders, and the keys for stores.
    ///
    /// Nothing is created.
    ///
    /// - Throws: ``ConfigurationError``.
    public func validate() throws(ConfigurationError) {
        _ = try grammar()
        _ = try FallbackImage(responses)
        _ = try watermark()
        _ = try sources.localSources()
        _ = try stores.signers(TrustedClient(transport: CurlTransport(), timeout: .seconds(1)))
        if let url = telemetry.sentryAddress { _ = try ErrorReporter.Address(of: url) }
        try caches.checkFolder()
        if caches.redisURL != nil || caches.resultStore != nil { try caches.requireFolderToShare() }
    }

    /// The file of the configured watermark; nil if it has none.
    ///
    /// - Throws: ``ConfigurationError`` if it cannot be read, or is no image.
    func watermark() throws(ConfigurationError) -> Data? {
        try ConfiguredFile.read(
            data: processing.watermarkData,
            path: processing.watermarkPath,
            name: "IMGPROXY_WATERMARK"
        )
    }

    /// The settings of the grammar of URLs.
    ///
    /// - Throws: ``ConfigurationError`` for a malformed pattern, base or preset.
    func grammar() throws(ConfigurationError) -> GrammarSettings {
        var settings = GrammarSettings()
        settings.signature = SignatureKeys(
            zip(urls.keys, urls.salts).map { .init(key: $0, salt: $1) },
            size: urls.signatureSize,
            trusted: urls.trustedSignatures
        )
        settings.encryptionKey = urls.encryptionKey
        settings.hasFileNames = urls.hasFileNames
        settings.pathPrefix = urls.pathPrefix ?? ""
        settings.argumentsSeparator = urls.argumentsSeparator
        settings.allowsOnlyPresets = urls.allowsOnlyPresets
        settings.allowedOptions = Set(urls.allowedOptions)
        settings.allowsSecurityOptions = urls.allowsSecurityOptions
        let schemes =
            ["http://", "https://", "local://"]
            + ObjectStore.allCases.map { "\($0.rawValue)://" }
        let base = sources.baseURL.lowercased()
        // The names of folders may contain spaces, HTTP URLs may not.
        let hasSpaces = base.hasPrefix("http") && base.contains(where: \.isWhitespace)
        guard base.isEmpty || schemes.contains(where: base.hasPrefix), !hasSpaces else {
            throw ConfigurationError(
                name: "IMGPROXY_BASE_URL",
                expected: "text that begins with \(schemes.joined(separator: ", ")),"
                    + " without spaces if it is an HTTP URL",
                found: sources.baseURL
            )
        }
        settings.keyRule = sources.keyRule
        settings.sources.base = sources.baseURL
        settings.sources.replacements = sources.replacements
        settings.sources.allowsLocalFiles = sources.localRoot != nil
        settings.sources.stores = stores.used
        do throws(InvalidSetting) {
            settings.sources.allowed = try sources.allowed.map { text throws(InvalidSetting) in
                try SourcePattern(text)
            }
            try settings.definePresets(urls.presets + presetsOfFile())
        } catch {
            throw ConfigurationError(
                name: "IMGPROXY_\(error.name)",
                expected: "a usable value: \(error.reason)",
                found: nil
            )
        }
        return settings
    }

    /// The lines of the file of presets.
    private func presetsOfFile() throws(InvalidSetting) -> [String] {
        guard let path = urls.presetsPath else { return [] }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw InvalidSetting("PRESETS_PATH", "the file \(path) cannot be read")
        }
        return text.textLines.map(String.init)
    }

    /// The settings of negotiation.
    var negotiationSettings: NegotiationSettings {
        var settings = NegotiationSettings()
        let choices: [(OutputFormat, prefers: Bool, enforces: Bool)] = [
            (.webp, negotiation.prefersWebP, negotiation.enforcesWebP),
            (.avif, negotiation.prefersAVIF, negotiation.enforcesAVIF),
            (.jxl, negotiation.prefersJXL, negotiation.enforcesJXL),
        ]
        settings.automatic = Set(choices.filter(\.prefers).map(\.0))
        settings.enforced = Set(choices.filter(\.enforces).map(\.0))
        settings.preferred = negotiation.preferredFormats
        settings.skipProcessing = Set(negotiation.skippedFormats)
        settings.passesDrawings = !processing.rasterizesDrawings
        settings.usesClientHints = negotiation.usesClientHints
        settings.passedHeaders = sources.requestHeaders + (sources.passesCookies ? ["cookie"] : [])
        settings.variant = CacheKeys.variant(of: self, [.results, .sources])
        settings.writable = nil
        return settings
    }

    /// The settings of the renderer.
    ///
    /// - Parameter watermark: The file of the watermark; nil for none.
    /// - Returns: The settings.
    func rendererSettings(watermark: Data?) -> RendererSettings {
        var settings = RendererSettings()
        settings.quality = processing.quality
        settings.formatQuality = processing.formatQuality
        settings.isProgressive = processing.writesProgressiveJPEG
        settings.subsampling = [
            .jpeg: processing.keepsChromaOfJPEG ? .off : .auto,
            .avif: processing.subsamplingOfAVIF,
        ]
        settings.compression = [
            .webp: processing.compressionOfWebP,
            .avif: processing.isAVIFLossless ? .lossless : .lossy,
            .jxl: processing.isJXLLossless ? .lossless : .lossy,
        ]
        settings.maxColorCount =
            processing.quantizesPNG ? processing.maximalColorsOfPNG : nil
        settings.efforts = [.avif: processing.speedOfAVIF, .webp: processing.effortOfWebP]
        settings.autoRotate = processing.rotatesAutomatically
        settings.stripsMetadata = processing.stripsMetadata
        settings.keepsCopyright = processing.keepsCopyright
        settings.stripsColorProfile = processing.stripsColorProfile
        settings.autoQuality.method =
            .init(rawValue: processing.autoQualityMethod.rawValue) ?? .none
        settings.autoQuality.target = processing.autoQualityTarget
        settings.autoQuality.minimum = processing.lowestAutoQuality
        settings.autoQuality.maximum = processing.highestAutoQuality
        settings.autoQuality.allowedError = processing.autoQualityError
        settings.autoQuality.minimums = processing.lowestAutoQualities
        settings.autoQuality.maximums = processing.highestAutoQualities
        settings.usualColorCount = processing.maximalColorsOfPNG
        if let mode = ProcessingOptions.UnsharpMask.Mode(rawValue: processing.unsharpMode.rawValue),
            mode != .none
        {
            var mask = ProcessingOptions.UnsharpMask(mode: mode)
            (mask.weight, mask.divider) = (processing.unsharpWeight, processing.unsharpDivider)
            settings.unsharpMask = mask
        }
        settings.prefersSpeed = processing.prefersSpeed
        settings.limits.megapixels = processing.maximalMegapixels
        settings.limits.fileSize = sources.maximalFileSize
        settings.limits.animationFrames = processing.maximalAnimationFrames
        settings.limits.frameMegapixels = processing.maximalFrameMegapixels
        let dimension = processing.maximalResultDimension
        settings.limits.result.dimension = dimension == 0 ? nil : dimension
        settings.allowsLimitsInURL = urls.allowsSecurityOptions
        settings.isIsolated = operation.isolates
        settings.readsDocuments = processing.readsDocuments
        settings.readsVideos = processing.readsVideos
        settings.acceptsTruncated = processing.acceptsTruncatedSources
        settings.watermark = watermark
        settings.watermarkOpacity = processing.watermarkOpacity
        return settings
    }
}

extension ServiceConfiguration.Operation {
    /// The pieces of small work that run beside ``workers`` others.
    var laneWidth: Int { max(1, workers / 4) }

    /// The most sources that are loaded at once.
    var maximalLoads: Int {
        let limits = admissionLimits
        return max(1, min(limits.places, limits.bytes / max(1, limits.bytesOfSource)))
    }

    /// The limits on requests that wait.
    var admissionLimits: Admission.Limits {
        let (places, overflows) = workers.addingReportingOverflow(queueSize)
        return Admission.Limits(
            places: overflows ? .max : max(1, places),
            bytes: loadedSourceSize,
            bytesOfSource: UnnamedFile.largestInMemory
        )
    }
}
