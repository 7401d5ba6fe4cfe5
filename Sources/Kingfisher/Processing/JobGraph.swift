import Codecs
import Foundation
import Pixels
import Synchronization

/// What is made of the bytes of one download, each piece once for all who want it.
///
/// ```
/// bytes ─ one decoded picture ┬ image of processor A
///                             ├ image of processor B
///                             └ …                       a processor that wants the bytes: alone
/// ```
///
/// When the bytes arrive, the wishes of those who wait for them decide in which size the picture is decoded; a later one takes it if it is large
/// enough. Each waits for its own image alone: cancelling leaves the others whole, the last to
/// leave a piece of work stops it, and work is as urgent as the most urgent who wait for it.
///
/// Results are kept until the last caller has left the download, so that nothing is done twice.
final class JobGraph: Sendable {
    /// What makes two images of the same bytes the same.
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
        /// Made for the first image: many download bytes alone.
        var results: Results?
        /// Whether nobody wants anything: nothing is kept any more.
        var isOver = false
        /// Those of the moment when the bytes arrived.
        var planned: [DecodeWish] = []
    }

    /// What was made, as long as anyone is a member.
    private final class Results: Sendable {
        let pictures = KeptJobs<PixelSize, Bitmap>()
        let images = KeptJobs<Key, KFCrossPlatformImage>()

        func forget() {
            pictures.forget()
            images.forget()
        }
    }

    private let state = Mutex(State())

    init() {}

    /// Notes what is wished for when the bytes arrive, which decides how they are decoded.
    func plan(_ wishes: [DecodeWish]) {
        state.withLock { $0.planned = wishes }
    }

    /// Drops the results, for good.
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

    /// The image that a member's processor makes of the bytes.
    ///
    /// - Throws: ``KingfisherError`` when the processor gives nothing, `CancellationError`.
    func image(
        of data: Data,
        options: KingfisherParsedOptionsInfo,
        on processing: ProcessingJobs
    ) async throws -> KFCrossPlatformImage {
        let urgency = Urgency(options.downloadPriority)
        let images = results.images
        return try await images.value(for: Key(options), urgency: urgency) { [self] urgency in
            guard let plan = plan(for: data, processing), let wish = DecodeWish(options),
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

    /// The image made of the shared picture; nil when the bytes or the processor give none.
    private func image(
        _ wish: DecodeWish,
        of data: Data,
        by plan: DecodePlan,
        _ options: KingfisherParsedOptionsInfo,
        _ processing: ProcessingJobs,
        _ urgency: Urgency
    ) async throws -> KFCrossPlatformImage? {
        do {
            let picture = try await results.pictures.value(for: plan.base, urgency: urgency) {
                try await processing.picture(of: data, in: plan, $0)
            }
            return try await processing.image(of: picture, in: plan, wish, options, urgency)
        } catch is CodecError {
            // Told as the processor's failure, as if it had been given the bytes.
            return nil
        }
    }

    private func plan(for data: Data, _ processing: ProcessingJobs) -> DecodePlan? {
        let wishes = state.withLock { $0.planned }
        return processing.plan(wishes, for: data)
    }
}
