import Foundation
import Kingfisher
import Synchronization

/// The processor and the encoding of one result.
struct RenderJob {
    let processor: any ImageProcessor
    private(set) var rule: ResultEncoder.Rule
    /// Whether all frames are processed.
    let isAnimated: Bool
    /// The effective factor.
    let dpr: Double
    /// Whether the size turned out to be above a limit while the result was made.
    let refusal = Refusal()

    /// Plans a result.
    ///
    /// - Parameters:
    ///   - source: The properties of the source.
    ///   - plan: The options, completed by the configuration.
    ///   - settings: The configuration.
    ///   - frames: The number of frames that are processed.
    /// - Throws: ``ServiceError`` 422 if the result would be too large, or an animation would be
    ///   trimmed.
    init(
        _ source: SourceFacts,
        _ plan: RenderPlan,
        _ settings: RendererSettings,
        frames: Int
    ) throws(ServiceError) {
        rule = Self.rule(plan, settings)
        isAnimated = source.frameCount > 1 && frames > 1 && plan.format.isAnimated
        rule.isAnimated = isAnimated
        let plan = isAnimated ? try plan.forAnimation() : plan
        let turned = plan.turned(source.size, orientation: source.orientation)
        let geometry = try Geometry(source: turned, options: plan.options, limits: plan.bounds)
        try plan.format.check(geometry.size)
        dpr = geometry.dpr
        var chain = ProcessorChain(source, geometry, plan).processor
        if let trim = plan.options.trim {
            chain = Self.trimming(trim, source, plan, untrimmed: chain, refusal)
        }
        guard isAnimated else {
            let keepsProfile =
                !(plan.options.stripColorProfile ?? settings.stripsColorProfile)
                && plan.format.holdsColorProfile
            processor = keepsProfile ? ProfileKeepingProcessor(chain) : chain
            return
        }
        processor = AnimatedImageProcessor(
            chain,
            format: plan.format.imageFormat,
            compressionQuality: CGFloat(rule.quality) / 100,
            maxFrameCount: frames
        )
    }

    /// Leaves room for metadata in the largest size of the file.
    mutating func leaveRoom(for metadata: ImageMetadata) {
        guard let most = rule.maxBytes, most > 0 else { return }
        rule.maxBytes = max(1, most - metadata.byteCount)
    }

    /// Trimming decodes the whole image, since the size after it is not known before.
    private static func trimming(
        _ trim: ProcessingOptions.Trim,
        _ source: SourceFacts,
        _ plan: RenderPlan,
        untrimmed: any ImageProcessor,
        _ refusal: Refusal
    ) -> any ImageProcessor {
        // The options for the sizes; the chain for turns, filters and the watermark's pixels.
        let name = "\(plan.options.canonicalKey)_\(untrimmed.identifier)"
        let trimmer = TrimProcessor(trim, name: name) { size in
            let turned = plan.turned(size, orientation: source.orientation)
            do throws(ServiceError) {
                let geometry = try Geometry(
                    source: turned,
                    options: plan.options,
                    limits: plan.bounds
                )
                try plan.format.check(geometry.size)
                return ProcessorChain(source, geometry, plan, isDecoded: true).processor
            } catch {
                refusal.error = error
                return nil
            }
        }
        return DefaultImageProcessor.default |> trimmer
    }

    private static func rule(
        _ plan: RenderPlan,
        _ settings: RendererSettings
    ) -> ResultEncoder.Rule {
        let options = plan.options
        var rule = ResultEncoder.Rule(
            format: plan.format,
            quality: settings.quality(of: plan.format, options)
        )
        rule.maxBytes = options.maximalBytes
        rule.isProgressive = options.isProgressive ?? settings.isProgressive
        rule.effort = settings.efforts[plan.format]
        rule.maxColorCount = settings.colorCount(options)
        let subsampling = options.subsampling[plan.format] ?? settings.subsampling[plan.format]
        rule.subsamplesChroma = subsampling.flatMap(\.isOn)
        rule.compression =
            options.compression[plan.format] ?? settings.compression[plan.format] ?? .lossy
        search(options.autoQuality, settings.autoQuality, &rule)
        return rule
    }

    /// Adds the search for a quality that the URL or the configuration asks for.
    private static func search(
        _ wanted: ProcessingOptions.AutoQuality?,
        _ own: RendererSettings.AutoQualityDefaults,
        _ rule: inout ResultEncoder.Rule
    ) {
        func quality(_ value: Int) -> Int { max(1, min(100, value)) }
        let (least, most) = (own.minimums[rule.format], own.maximums[rule.format])
        let low = quality(wanted?.minimum ?? least ?? own.minimum)
        let high = max(low, quality(wanted?.maximum ?? most ?? own.maximum))
        let target = wanted?.target ?? own.target
        switch wanted?.method ?? own.method {
        case .none: return
        case .dssim:
            let error = wanted?.allowedError ?? own.allowedError
            rule.similarity = SimilarityTarget(
                distance: max(0, target.isNaN ? 0 : target) + max(0, error.isNaN ? 0 : error),
                qualities: low...high
            )
        case .size:
            // The configured target may be one of a distance.
            guard target >= 1, target <= Double(1 << 40) else { return }
            rule.maxBytes = min(rule.maxBytes ?? .max, Int(target))
            (rule.quality, rule.lowestQuality) = (high, low)
        }
    }
}

extension RenderJob {
    /// The reason why a processor made no image, since processors cannot throw.
    final class Refusal: Sendable {
        private let state = Mutex<ServiceError?>(nil)

        /// Nil if there was none.
        var error: ServiceError? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}
