import Dispatch
import Foundation
@_spi(Server) import Kingfisher
import Synchronization

/// Makes results from the bytes of sources: checks, plans, decodes, processes, encodes.
///
/// Decoding is done by the library, within its memory budget and, if the settings say so, in worker
/// processes. Nothing is stored: the caller keeps sources and results.
struct ImageRenderer: Sendable {
    /// Chooses the format of a result once the source's header is read.
    ///
    /// ``SourceFacts/ownFormat`` is that of a request that names none. The size is that of the
    /// result, without regard to `trim`; nil if the result is above a limit.
    typealias FormatChoice = (SourceFacts, Extent?) throws(ServiceError) -> OutputFormat

    private let settings: RendererSettings
    private let configuredMark = KeptMark()

    /// - Parameter settings: The configuration.
    init(settings: RendererSettings) { self.settings = settings }

    /// Makes the result of a request.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - options: The options of the request.
    ///   - watermark: The file of the request's own watermark; nil for the configured one.
    ///   - drawing: What becomes of a source that is an SVG file.
    ///   - format: Chooses the format; not called when the source is passed on as it is.
    /// - Returns: The result.
    /// - Throws: ``ServiceError``; see the table there.
    func render(
        _ source: Data,
        options: ProcessingOptions,
        watermark: Data? = nil,
        drawing: DrawingTreatment = .drawn,
        format: FormatChoice
    ) async throws(ServiceError) -> RenderedImage {
        let page = try await SourcePage(of: source, options, settings)
        let facts = SourceFacts(try await header(of: page.item), byteCount: source.count)
        let limits = settings.limits(options)
        try limits.check(facts)
        if options.isRaw { return try passedOn(source, facts) }
        if let result = try await sanitized(source, facts, drawing) { return result }
        var plan = RenderPlan(
            options: options,
            of: facts,
            rotates: options.autoRotate ?? settings.autoRotate,
            watermarkOpacity: settings.watermarkOpacity,
            bounds: limits.result,
            prefersSpeed: settings.prefersSpeed,
            unsharpMask: settings.unsharpMask
        )
        let chosen = try format(facts, plan.size(of: facts))
        if page.kind == .image, options.skipProcessing.contains(chosen),
            OutputFormat(facts.format) == chosen,
            let file = KeptMetadata(options, settings).reduced(source)
        {
            return try passedOn(file, facts)
        }
        guard chosen.isWritable else {
            throw ServiceError(
                422,
                "This service does not write \(chosen.rawValue)",
                "Name another format"
            )
        }
        plan.format = chosen
        plan.watermark = try await mark(for: options, watermark, limits)
        var job = try RenderJob(facts, plan, settings, frames: limits.animationFrames)
        let metadata = KeptMetadata(options, settings).metadata(of: page.item)
        job.leaveRoom(for: metadata)
        var result = try await run(job, page.item, limits)
        // Bytes that were just encoded have a readable header.
        result.data =
            (try? metadata.added(to: result.data, dropsUnsupported: true)) ?? result.data
        return result
    }

    private func run(
        _ job: RenderJob,
        _ source: ImageProcessItem,
        _ limits: RenderLimits
    ) async throws(ServiceError) -> RenderedImage {
        let encoder = ResultEncoder(job.rule)
        let clock = ContinuousClock()
        let start = clock.now
        let data: Data?
        do throws(ServiceError) {
            data = try await make(
                source,
                [.processor(job.processor)] + (job.isAnimated ? [] : [.onlyLoadFirstFrame])
                    + [.resultLimits(limits.result.library)]
                    // A watermark is kept, so it has to be whole.
                    + (settings.acceptsTruncated ? [.acceptsTruncatedFiles] : []),
                onCancel: { encoder.cancel() },
                encoder.file
            )
        } catch {
            throw job.refusal.error ?? error
        }
        let total = clock.now - start
        guard let data, let encoding = encoder.outcome else {
            throw ServiceError(500, "The result cannot be encoded", "Name another format")
        }
        var size = encoding.size
        // Animations are written by workers, which a hostile file may have taken over.
        if job.isAnimated {
            size = SourceFacts(try await header(of: .data(data)), byteCount: data.count).size
        }
        var result = RenderedImage(
            data: data,
            format: job.rule.format.imageFormat,
            width: size.width,
            height: size.height,
            dpr: job.dpr
        )
        result.isTruncated = encoding.isTruncated
        result.quality = job.rule.isLossless ? nil : encoding.quality
        result.times.encode = encoding.time
        result.times.process = total - result.times.encode
        return result
    }

    /// The header of an untrusted file, or of the PNG of an image.
    private func header(of item: ImageProcessItem) async throws(ServiceError) -> ImageFileInfo {
        let file: Data
        switch item {
        case .data(let data): file = data
        case .image(let image): return ImageFileInfo(drawn: image)
        }
        do {
            guard settings.isIsolated else { return try ImageFileInfo(data: file) }
            return try await ImageFileInfo.isolated(data: file)
        } catch {
            throw ServiceError(rendering: error)
        }
    }

    /// Makes something of the processed image.
    private func make<Result: Sendable>(
        _ source: ImageProcessItem,
        _ options: KingfisherOptionsInfo,
        onCancel cancel: @escaping @Sendable () -> Void = {},
        _ use: @escaping @Sendable (KFCrossPlatformImage) -> Result
    ) async throws(ServiceError) -> Result {
        let options = options + (settings.isIsolated ? [.isolated] : [])
        do {
            return try await withTaskCancellationHandler {
                try await FileRenderer.render(source, options: options, use)
            } onCancel: {
                cancel()
            }
        } catch {
            throw ServiceError(rendering: error)
        }
    }

    /// The image of the watermark, if the request draws one.
    private func mark(
        for options: ProcessingOptions,
        _ own: Data?,
        _ limits: RenderLimits
    ) async throws(ServiceError) -> KFCrossPlatformImage? {
        guard let watermark = options.watermark, watermark.opacity > 0 else { return nil }
        if let text = options.watermarkText { return try await mark(of: text) }
        if let own { return try await mark(in: own, limits) }
        guard let file = settings.watermark else {
            throw ServiceError(
                422,
                "The request names no watermark, and none is configured",
                "Name one by watermark_url"
            )
        }
        if let kept = configuredMark.image { return kept }
        let image = try await mark(in: file, nil)
        configuredMark.image = image
        return image
    }

    private func mark(of text: WatermarkText) async throws(ServiceError) -> KFCrossPlatformImage {
        let image = try await mark(in: text.drawing, nil, side: WatermarkText.longestSide)
        // The drawing has a margin, so only one without a visible part is as large as before.
        let visible = image.kf.trimmed()
        guard (visible.pixelWidth, visible.pixelHeight) != (image.pixelWidth, image.pixelHeight)
        else {
            throw ServiceError(422, "The text of the watermark shows nothing", "Name another one")
        }
        return visible
    }

    /// The image of a file, with sides that are larger than most results, and small enough for a
    /// hostile file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - limits: Those of sources, if the file is one; nil for one of the configuration.
    ///   - side: The longest side.
    /// - Returns: The image.
    /// - Throws: ``ServiceError``.
    private func mark(
        in file: Data,
        _ limits: RenderLimits?,
        side: Int = 4096
    ) async throws(ServiceError) -> KFCrossPlatformImage {
        let processor = DownsamplingImageProcessor(size: CGSize(width: side, height: side))
        do throws(ServiceError) {
            let item = ImageProcessItem.data(file)
            if let limits {
                try limits.check(SourceFacts(try await header(of: item), byteCount: file.count))
            }
            return try await make(item, [.processor(processor), .onlyLoadFirstFrame]) { $0 }
        } catch {
            throw ServiceError(
                error.status,
                "The watermark cannot be used",
                "Name an image for it",
                detail: [error.message, error.detail ?? ""].joined(separator: " ")
            )
        }
    }

    /// The largest drawings take half a second, in which other requests need their threads.
    private static let sanitizing = DispatchQueue(
        label: "kf-serve.drawings",
        attributes: .concurrent
    )

    /// The source without scripts and links, if it is an SVG file that is passed on; nil if it is drawn.
    private func sanitized(
        _ source: Data,
        _ facts: SourceFacts,
        _ treatment: DrawingTreatment
    ) async throws(ServiceError) -> RenderedImage? {
        guard treatment != .drawn else { return nil }
        guard facts.isDrawing else {
            guard treatment == .required else { return nil }
            throw ServiceError(
                422,
                "The result cannot be SVG, because the source is not",
                "Name another format"
            )
        }
        let result = await withCheckedContinuation { continuation in
            Self.sanitizing.async {
                let result = Result { () throws(DrawingFault) in
                    try DrawingSanitizer.sanitized(source)
                }
                continuation.resume(returning: result)
            }
        }
        do throws(DrawingFault) {
            return RenderedImage(
                data: try result.get(),
                format: .SVG,
                width: facts.size.width,
                height: facts.size.height
            )
        } catch {
            guard treatment == .required else { return nil }
            throw ServiceError(
                422,
                "The source cannot be passed on as SVG",
                "Name another format, in which it is drawn",
                detail: "\(error.reason.prefix(1).uppercased())\(error.reason.dropFirst())."
            )
        }
    }

    /// The source itself.
    ///
    /// Only raster formats, because SVG may contain scripts.
    private func passedOn(
        _ source: Data,
        _ facts: SourceFacts
    ) throws(ServiceError) -> RenderedImage {
        guard facts.format.isRaster else {
            throw ServiceError(
                422,
                "The source is not passed on as it is",
                "Process it, or name a raster image",
                detail: "It is \(facts.formatName); only raster images are passed on."
            )
        }
        var result = RenderedImage(
            data: source,
            format: facts.format,
            width: facts.size.width,
            height: facts.size.height
        )
        result.isSource = true
        return result
    }
}

extension ImageRenderer {
    /// Reads the properties of a source, and computes placeholders and colours from a thumbnail.
    ///
    /// - Parameters:
    ///   - source: The file.
    ///   - options: Name the wanted placeholders.
    /// - Returns: The properties.
    /// - Throws: ``ServiceError``; see the table there.
    func information(
        of source: Data,
        options: ProcessingOptions
    ) async throws(ServiceError) -> ImageInformation {
        let page = try await SourcePage(of: source, options, settings)
        let (byteCount, header) = (source.count, try await header(of: page.item))
        try settings.limits(options).check(SourceFacts(header, byteCount: byteCount))
        let side = ImageInformation.thumbnailSide
        let processor = DownsamplingImageProcessor(size: CGSize(width: side, height: side))
        let colours = try await make(page.item, [.processor(processor), .onlyLoadFirstFrame]) {
            ThumbnailColours(of: $0, options)
        }
        var information = ImageInformation(header, byteCount: byteCount, colours)
        page.describe(in: &information)
        return information
    }
}

extension ResultBounds {
    /// The limits for the library's processors.
    ///
    /// Steps before a crop may be larger than the result, but not than these limits.
    fileprivate var library: ResultLimits { ResultLimits(maxPixelCount: pixelCount, maxSide: side) }
}

extension ImageFormat {
    /// Whether a file of the format holds pixels and nothing that a browser would run.
    fileprivate var isRaster: Bool {
        switch self {
        case .JPEG, .PNG, .GIF, .WebP, .AVIF, .JXL, .HEIF, .TIFF, .BMP, .ICO: true
        case .SVG, .unknown: false
        }
    }
}

/// The decoded watermark of the configuration.
private final class KeptMark: Sendable {
    private let state = Mutex<KFCrossPlatformImage?>(nil)

    /// Nil before its first use.
    var image: KFCrossPlatformImage? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
