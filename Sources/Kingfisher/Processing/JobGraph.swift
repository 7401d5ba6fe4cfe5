import Codecs
import Foundation
import Pixels
import Synchronization

/// The work on the bytes of one download, each step done once for all callers that need it.
///
/// ```
/// bytes ─ one decoded bitmap ┬ image of processor A
///                            ├ image of processor B
///                            └ …                     a processor that needs the bytes: not shared
/// ```
///
/// When the bytes arrive, the waiting requests determine the size of the shared bitmap; a later
/// request uses the bitmap if it is large enough. The cost of resampling grows with its input, so
/// that small images are made from halves of the bitmap, which are shared, too. Each caller waits
/// only for its own image. A cancelled caller does not affect the others; the last caller of a step
/// cancels it. A step is as urgent as its most urgent caller.
///
/// Results are kept until the last caller has left the download, so that no step is done twice.
final class JobGraph: Sendable {
    /// Images of the same bytes with equal keys are equal.
    struct Key: Hashable, Sendable {
        let processor: String
        let scale: CGFloat
        let preloadsAll: Bool
        let onlyFirstFrame: Bool
        let limits: ResultLimits
        let isIsolated: Bool

        init(_ options: KingfisherParsedOptionsInfo) {
            processor = options.processor.identifier
            scale = options.scaleFactor
            preloadsAll = options.preloadAllAnimationData
            onlyFirstFrame = options.onlyLoadFirstFrame
            limits = options.resultLimits
            isIsolated = options.isolated
        }
    }

    private struct State {
        /// Made for the first image, because many downloads need only the bytes.
        var results: Results?
        /// Whether all callers have left: results are no longer kept.
        var isOver = false
        /// The requests waiting when the bytes arrived.
        var planned: [DecodeWish] = []
    }

    private struct PictureKey: Hashable {
        let size: PixelSize
        /// How often the bitmap of that size was halved.
        let halvings: Int
        /// Isolated callers never get a bitmap that this process decoded.
        let isIsolated: Bool
    }

    /// The results, kept while there are callers.
    private final class Results: Sendable {
        let pictures = KeptJobs<PictureKey, Bitmap>()
        let images = KeptJobs<Key, KFCrossPlatformImage>()

        func forget() {
            pictures.forget()
            images.forget()
        }
    }

    private let state = Mutex(State())

    init() {}

    /// Records the requests waiting when the bytes arrive; they determine how the bytes are
    /// decoded.
    func plan(_ wishes: [DecodeWish]) {
        state.withLock { $0.planned = wishes }
    }

    /// Discards all results; later ones are not kept.
    func forget() {
        let results = state.withLock { state in
            state.isOver = true
            return state.results
        }
        results?.forget()
    }

    // MARK: Work

    private var results: Results {
        state.withLock { state in
            if let results = state.results { return results }
            let results = Results()
            if state.isOver { results.forget() }
            state.results = results
            return results
        }
    }

    /// Returns the image that the options' processor makes from the bytes.
    ///
    /// - Parameters:
    ///   - data: The encoded bytes.
    ///   - options: Contain the processor.
    ///   - processing: Runs the work.
    /// - Returns: The image.
    /// - Throws: ``KingfisherError`` if the processor returns nil; `CancellationError`.
    func image(
        of data: Data,
        options: KingfisherParsedOptionsInfo,
        on processing: ProcessingJobs
    ) async throws -> KFCrossPlatformImage {
        let urgency = Urgency(options.downloadPriority)
        let images = results.images
        return try await images.value(for: Key(options), urgency: urgency) { [self] urgency in
            let wishes = state.withLock { $0.planned }
            guard let wish = DecodeWish(options),
                let plan = try await processing.plan(wishes, for: data, options, urgency),
                plan.serves(wish.size(of: plan.own))
            else {
                return try await processing.image(of: .data(data), options, urgency)
            }
            let image = try await image(wish, of: data, by: plan, options, processing, urgency)
            guard let image else {
                throw KingfisherError.processorError(
                    reason: .processingFailed(processor: options.processor, item: .data(data))
                )
            }
            return image
        }
    }

    /// Makes the image from the shared bitmap; nil if decoding or the processor fails.
    private func image(
        _ wish: DecodeWish,
        of data: Data,
        by plan: DecodePlan,
        _ options: KingfisherParsedOptionsInfo,
        _ processing: ProcessingJobs,
        _ urgency: Urgency
    ) async throws -> KFCrossPlatformImage? {
        do {
            let halvings = plan.halvings(for: wish.size(of: plan.own))
            let picture = try await picture(halvings, data, plan, options, processing, urgency)
            return try await processing.image(of: picture, in: plan, wish, options, urgency)
        } catch is CodecError {
            // Reported as a failure of the processor, as if it had decoded the bytes.
            return nil
        } catch KingfisherError.processorError(reason: .processingFailed) {
            return nil
        } catch KingfisherError.processorError(reason: .isolationFailed(_, let failure)) {
            // The bitmap may have been requested with the options of another caller.
            throw KingfisherError.processorError(
                reason: .isolationFailed(processor: options.processor, failure: failure)
            )
        }
    }

    /// Returns the shared bitmap of the plan, halved as often as given.
    private func picture(
        _ halvings: Int,
        _ data: Data,
        _ plan: DecodePlan,
        _ options: KingfisherParsedOptionsInfo,
        _ processing: ProcessingJobs,
        _ urgency: Urgency
    ) async throws -> Bitmap {
        let key = PictureKey(
            size: plan.base,
            halvings: halvings,
            isIsolated: options.isolated
        )
        return try await results.pictures.value(for: key, urgency: urgency) { [self] urgency in
            guard halvings > 0 else {
                return try await processing.picture(of: data, in: plan, options, urgency)
            }
            let input = try await picture(halvings - 1, data, plan, options, processing, urgency)
            return try await processing.resized(input, to: input.size.half, urgency)
        }
    }
}
