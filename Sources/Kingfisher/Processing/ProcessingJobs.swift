import Codecs
import Foundation
import Pixels
import Synchronization

/// Decodes and runs processors off the callers' threads, in a pool and within a budget of bytes.
///
/// What shares work among callers is ``JobGraph``.
final class ProcessingJobs: Sendable {
    /// One pool for the whole process: the cores are shared by all.
    static let pool = WorkPool(
        label: "com.onevcat.Kingfisher.processing",
        width: ProcessInfo.processInfo.activeProcessorCount
    )

    /// Entries on disk that are being read and decoded.
    let batches = StoredBatches()
    private let alone = SharedJobs<Int, KFCrossPlatformImage>()
    /// The number of the last job that ran alone.
    ///
    /// Nothing random: without free descriptors Foundation's `UUID()` is always the same, and
    /// strangers would share a job.
    private let lastJob = Atomic(0)
    private let decodes = Atomic(0)
    private let pool: WorkPool
    private let budget: ByteBudget
    /// Worker processes for isolated loads; nil for those of the program.
    private let workers: WorkerPool?

    init(
        pool: WorkPool = ProcessingJobs.pool,
        budget: ByteBudget = .decoding,
        workers: WorkerPool? = nil
    ) {
        self.pool = pool
        self.budget = budget
        self.workers = workers
    }

    /// How often bytes were decoded, or given to a processor that does.
    var decodeCount: Int { decodes.load(ordering: .relaxed) }

    /// How many pieces of work for one caller alone run.
    var runningCount: Int { alone.runningCount }

    /// The image that a processor makes of bytes or of an image, for one caller.
    ///
    /// - Throws: ``KingfisherError`` when the processor gives nothing; `CancellationError` as soon
    ///   as the caller's task is cancelled, whatever the processor does.
    func image(
        of item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) async throws -> KFCrossPlatformImage {
        let urgency = Urgency(options.downloadPriority)
        let job = lastJob.wrappingAdd(1, ordering: .relaxed).newValue
        return try await alone.value(for: job, urgency: urgency) { urgency in
            try await self.image(of: item, options, urgency)
        }
    }

    /// The image that a processor makes of bytes or of an image, waited for to the end.
    func image(
        of item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> KFCrossPlatformImage {
        if case .data = item { decodes.add(1, ordering: .relaxed) }
        if options.isolated, let data = item.encoded(for: options.processor) {
            return try await isolatedImage(of: data, options, urgency)
        }
        let cost = WorkCost(options)
            .of(item, by: options.processor, preloads: options.preloadAllAnimationData)
        return try await budget.with(bytes: cost) {
            try await run(item, options, urgency)
        }
    }

    /// The image of which a worker process makes as much as it knows how to.
    private func isolatedImage(
        of data: Data,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> KFCrossPlatformImage {
        let decoding = try IsolatedDecoding(options, workers)
        let header = try await decoding.header(of: data, options, urgency)
        let cost = header.map { WorkCost(options).of($0, by: options.processor) } ?? 0
        let cut = ProcessorCut(options.processor)
        return try await budget.with(bytes: cost) {
            guard let apart = cut.apart else { return try await run(.data(data), options, urgency) }
            let image = try await decoding.image(of: data, by: apart, options, urgency)
            guard !cut.here.isEmpty else { return image }
            var rest = options
            rest.processor = ProcessorChain(steps: cut.here)
            return try await run(.image(image), rest, urgency)
        }
    }

    private func run(
        _ item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> KFCrossPlatformImage {
        let work: @Sendable () throws -> KFCrossPlatformImage = {
            try Self.process(item, options)
        }
        guard let queue = options.processingQueue else {
            return try await pool.run(urgency: urgency, work)
        }
        return try await withCheckedThrowingContinuation { continuation in
            queue.execute { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Whether bytes of which no image was made are damaged, rather than refused by the processor.
    func areDamaged(_ data: Data) async -> Bool {
        // A cancel leaves it open.
        (try? await pool.run { IsolatedDecoding.undecodableReason(of: data) != nil }) ?? false
    }

    /// Runs a processor on the caller's thread, under the limits on its results.
    static func process(
        _ item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo
    ) throws(KingfisherError) -> KFCrossPlatformImage {
        let image = try limited(options) { options.processor.process(item: item, options: options) }
        guard let image else {
            throw .processorError(
                reason: .processingFailed(processor: options.processor, item: item)
            )
        }
        return image
    }

    /// Runs a processor under the limits on its results.
    private static func limited(
        _ options: KingfisherParsedOptionsInfo,
        _ draw: () -> KFCrossPlatformImage?
    ) throws(KingfisherError) -> KFCrossPlatformImage? {
        let scope = options.resultLimits.scope
        let image = scope.run {
            let image = draw()
            // Decoders have limits of their own, which may be wider.
            if let size = image?.bitmap?.size { _ = PixelScope.allows(size) }
            return image
        }
        // Drawing functions give the unchanged image for one that is too large.
        if let size = scope.refused {
            throw .processorError(
                reason: .resultTooLarge(
                    processor: options.processor,
                    size: CGSize(width: size.width, height: size.height),
                    limits: options.resultLimits
                )
            )
        }
        return image
    }

    // MARK: One picture for several

    /// Plans the decoding of bytes for several; nil when there is nothing to share.
    func plan(_ wishes: [DecodeWish], for data: Data) -> DecodePlan? {
        // A worker decodes for one.
        guard !wishes.contains(where: \.key.isIsolated) else { return nil }
        // Bytes without a readable header fail in the processor, which says why.
        guard wishes.count > 1, let info = try? Codecs.inspect(data) else { return nil }
        return DecodePlan(wishes, of: info, maxBytes: budget.limit / 4)
    }

    /// The picture that a plan has decoded once for several.
    ///
    /// - Throws: `CodecError` when the bytes are no picture, `CancellationError`.
    func picture(of data: Data, in plan: DecodePlan, _ urgency: Urgency) async throws -> Bitmap {
        decodes.add(1, ordering: .relaxed)
        let cost = WorkCost.decoding(to: plan.base, from: plan.own)
        return try await budget.with(bytes: cost) {
            try await pool.run(urgency: urgency) {
                let target: DecodeOptions.Target =
                    plan.base == plan.own ? .full : .exact(plan.base)
                return try Codecs.decode(data, options: DecodeOptions(target: target)).bitmap
            }
        }
    }

    /// The image that a processor makes of a shared picture.
    ///
    /// - Parameters:
    ///   - picture: What ``picture(of:in:_:)`` gave.
    ///   - plan: Its plan, which serves the wish.
    ///   - wish: For the size and the processor.
    ///   - options: The processor's.
    ///   - urgency: Of the work.
    /// - Returns: The image; nil when the processor makes none.
    /// - Throws: `CodecError` when memory is short, `CancellationError`.
    func image(
        of picture: Bitmap,
        in plan: DecodePlan,
        _ wish: DecodeWish,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> KFCrossPlatformImage? {
        let size = wish.size(of: plan.own)
        let copy = size == picture.size ? 0 : size.byteCount
        let cost = max(copy, WorkCost(options).drawing(on: size, by: options.processor))
        return try await budget.with(bytes: cost) {
            try await pool.run(urgency: urgency) {
                let bitmap: Bitmap
                do throws(PixelError) {
                    bitmap = try resample(picture, to: size)
                } catch {
                    throw CodecError.pixels(error)
                }
                let image = KFCrossPlatformImage(bitmap: bitmap, scale: options.scaleFactor)
                return try Self.limited(options) { wish.image(image, of: plan.own, options) }
            }
        }
    }
}

extension ByteBudget {
    /// What all decoders of the process may hold at once: a quarter of its memory.
    static let decoding = ByteBudget(limit: max(256 << 20, MemoryLimit.defaultCacheCost()))
}

/// An image that was made of an entry's bytes.
struct StoredImage: Sendable {
    let image: KFCrossPlatformImage
    /// The checksum of the bytes; nil while they wait to be written.
    let checksum: UInt64?
}
