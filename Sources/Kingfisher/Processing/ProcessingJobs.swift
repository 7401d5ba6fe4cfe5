import Codecs
import Foundation
import Pixels
import Synchronization

/// Decodes and runs processors off the calling threads, in a pool and within a memory budget.
///
/// ``JobGraph`` shares work between callers.
final class ProcessingJobs: Sendable {
    /// One pool for the whole process, because all callers share the cores.
    static let pool = WorkPool(
        label: "com.onevcat.Kingfisher.processing",
        width: ProcessInfo.processInfo.activeProcessorCount
    )

    /// The cache files being read and decoded.
    let batches = StoredBatches()
    private let alone = SharedJobs<Int, KFCrossPlatformImage>()
    /// The number of the last unshared job.
    ///
    /// A counter rather than a random value: if the process is out of file descriptors,
    /// Foundation's `UUID()` always returns the same value, and unrelated callers would share a
    /// job.
    private let lastJob = Atomic(0)
    private let decodes = Atomic(0)
    private let pool: WorkPool
    private let budget: ByteBudget
    /// The worker processes for isolated loads; nil for the program's shared ones.
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

    /// How often bytes were decoded, or passed to a processor that decodes.
    var decodeCount: Int { decodes.load(ordering: .relaxed) }

    /// The number of running jobs of single callers.
    var runningCount: Int { alone.runningCount }

    /// Returns the image that a processor makes from bytes or an image, for one caller.
    ///
    /// - Throws: ``KingfisherError`` if the processor returns nil; `CancellationError` as soon as
    ///   the caller's task is cancelled, even if the processor is still running.
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

    /// As above, but waits for the processor even if the task is cancelled.
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

    /// Makes the image in a worker process as far as the worker knows the processors, then here.
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
            // The chain passes the profile of the colours on.
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

    /// Whether bytes that yielded no image are damaged, rather than refused by the processor.
    func areDamaged(_ data: Data) async -> Bool {
        // If cancelled, the result is unknown and treated as false.
        (try? await pool.run { IsolatedDecoding.undecodableReason(of: data) != nil }) ?? false
    }

    /// Runs a processor on the current thread, with limits on its results.
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

    /// Runs a drawing closure with limits on its results.
    private static func limited(
        _ options: KingfisherParsedOptionsInfo,
        _ draw: () -> KFCrossPlatformImage?
    ) throws(KingfisherError) -> KFCrossPlatformImage? {
        let scope = options.resultLimits.scope
        let image = scope.run {
            let image = draw()
            // Decoders have their own limits, which may be larger.
            if let size = image?.bitmap?.size { _ = PixelScope.allows(size) }
            return image
        }
        // Drawing functions return the unchanged image if the result would be too large.
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

    // MARK: One bitmap for several callers

    /// Plans the decoding of bytes for several requests; nil if there is nothing to share.
    ///
    /// - Parameters:
    ///   - wishes: The requests that wait. Only those with the isolation of `options` count.
    ///   - data: The bytes.
    ///   - options: The options of the caller.
    ///   - urgency: The priority of the work.
    /// - Returns: The plan.
    /// - Throws: ``KingfisherError`` if a worker process fails; `CancellationError`.
    func plan(
        _ wishes: [DecodeWish],
        for data: Data,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> DecodePlan? {
        let wishes = wishes.filter { $0.key.isIsolated == options.isolated }
        guard wishes.count > 1 else { return nil }
        // Bytes without a readable header fail in the processor, which reports the reason. The
        // size that a worker reports is untrusted.
        let sides = 1...PixelLimits.maxDimension
        guard let header = try await header(of: data, options, urgency),
            sides.contains(header.size.width), sides.contains(header.size.height)
        else { return nil }
        return DecodePlan(
            wishes,
            of: Codecs.format(of: data),
            header,
            maxBytes: budget.limit / 4
        )
    }

    private func header(
        of data: Data,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> FileHeader? {
        guard options.isolated else { return FileHeader(data, preloads: false) }
        return try await IsolatedDecoding(options, workers).header(of: data, options, urgency)
    }

    /// Decodes the shared bitmap of a plan.
    ///
    /// - Throws: `CodecError` or, from a worker process, ``KingfisherError`` if the bytes cannot be
    ///   decoded; `CancellationError`.
    func picture(
        of data: Data,
        in plan: DecodePlan,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> Bitmap {
        decodes.add(1, ordering: .relaxed)
        let cost = WorkCost.decoding(to: plan.base, from: plan.own)
        return try await budget.with(bytes: cost) {
            if options.isolated {
                return try await IsolatedDecoding(options, workers)
                    .picture(of: data, in: plan, options, urgency)
            }
            return try await pool.run(urgency: urgency) { try plan.decode(data) }
        }
    }

    /// Makes a smaller bitmap of a shared one.
    ///
    /// - Throws: `CodecError` if memory runs out; `CancellationError`.
    func resized(_ picture: Bitmap, to size: PixelSize, _ urgency: Urgency) async throws -> Bitmap {
        try await budget.with(bytes: size.byteCount) {
            try await pool.run(urgency: urgency) { try Self.resized(picture, to: size) }
        }
    }

    private static func resized(
        _ picture: Bitmap,
        to size: PixelSize
    ) throws(CodecError) -> Bitmap {
        do throws(PixelError) {
            return try resample(picture, to: size)
        } catch {
            throw .pixels(error)
        }
    }

    /// Makes the image of one request from a shared bitmap.
    ///
    /// - Parameters:
    ///   - picture: The result of ``picture(of:in:_:)``.
    ///   - plan: The plan of the bitmap; it must serve the request.
    ///   - wish: Determines the size and the processor.
    ///   - options: The options of the processor.
    ///   - urgency: The urgency of the work.
    /// - Returns: The image; nil if the processor returns none.
    /// - Throws: `CodecError` if memory runs out; `CancellationError`.
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
                let bitmap = try Self.resized(picture, to: size)
                let image = KFCrossPlatformImage(bitmap: bitmap, scale: options.scaleFactor)
                return try Self.limited(options) { wish.image(image, of: plan.own, options) }
            }
        }
    }
}

extension ByteBudget {
    /// The memory for all decoding of the process: a quarter of its memory limit, at least 256 MiB.
    static let decoding = ByteBudget(limit: max(256 << 20, MemoryLimit.defaultCacheCost()))
}

/// An image made from the bytes of a cache entry.
struct StoredImage: Sendable {
    let image: KFCrossPlatformImage
    /// The metadata of the bytes.
    let metadata: EntryMetadata?
}
