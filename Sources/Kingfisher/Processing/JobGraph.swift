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
/// Whoever joins the download says what it will need. When the bytes arrive, the wishes that are
/// known then decide in which size the picture is decoded; a later one takes it if it is large
/// enough. Each waits for its own image alone: cancelling leaves the others whole, the last to
/// leave a piece of work stops it, and work is as urgent as the most urgent who wait for it.
///
/// Results are kept until the last member has left, so that nothing is done twice.
final class JobGraph: Sendable {
    /// What makes two images of the same bytes the same.
    struct Key: Hashable, Sendable {
        let processor: String
        let scale: CGFloat
        let preloadsAll: Bool
        let onlyFirstFrame: Bool
        let limits: ResultLimits

        init(_ options: KingfisherParsedOptionsInfo) {
            processor = options.processor.identifier
            scale = options.scaleFactor
            preloadsAll = options.preloadAllAnimationData
            onlyFirstFrame = options.onlyLoadFirstFrame
            limits = options.resultLimits
        }
    }

    private struct State {
        var wishes: [Int: DecodeWish?] = [:]
        var lastToken = 0
        var isEmpty: Bool { wishes.isEmpty }
        /// Made for the first image: many download bytes alone.
        var results: Results?
        /// Whether the last member has left: nothing is kept any more.
        var isOver = false
        /// Those of the moment when the bytes arrived.
        var planned: [DecodeWish]?

        mutating func add(_ wish: DecodeWish?) -> Int {
            lastToken += 1
            wishes.updateValue(wish, forKey: lastToken)
            return lastToken
        }
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

    // MARK: Members

    /// Adds a member; its token is 1 for the first.
    func join(_ options: KingfisherParsedOptionsInfo) -> Int {
        let wish = DecodeWish(options)
        return state.withLock { $0.add(wish) }
    }

    /// Adds a member unless all have left.
    func joinIfInUse(_ options: KingfisherParsedOptionsInfo) -> Int? {
        let wish = DecodeWish(options)
        return state.withLock { $0.isEmpty ? nil : $0.add(wish) }
    }

    /// Removes a member; returns whether it was the last, with whom all results go.
    func leave(_ token: Int) -> Bool {
        let (isLast, results) = state.withLock { state -> (Bool, Results?) in
            guard state.wishes.removeValue(forKey: token) != nil, state.isEmpty else {
                return (false, nil)
            }
            state.isOver = true
            return (true, state.results)
        }
        results?.forget()
        return isLast
    }

    /// Whether nobody wants anything.
    var isEmpty: Bool { state.withLock { $0.isEmpty } }

    /// Notes who waits now: what they wish decides how the bytes are decoded.
    func bytesDidArrive() {
        state.withLock { $0.planned = $0.wishes.values.compactMap { $0 } }
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
        let wishes = state.withLock { $0.planned } ?? []
        return processing.plan(wishes, for: data)
    }
}
