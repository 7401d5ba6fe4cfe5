import Foundation
import KFCodecs
import KFPixels
import Synchronization

/// Decodes and runs processors on the threads of a pool, within a memory budget.
///
/// ``EncodedImage`` shares work between callers.
final class ImageMaker: Sendable {
    /// One pool for the whole process, because all callers share the cores.
    static let pool = WorkPool(
        label: "com.onevcat.Kingfisher.processing",
        width: ProcessInfo.processInfo.activeProcessorCount,
        computes: true
    )

    /// For callers without a downloader.
    static let direct = ImageMaker()

    private let running = Atomic(0)
    private let shared = DecodedImages()
    private let sharesImages = Atomic(true)
    private let decodes = Atomic(0)
    let pool: WorkPool
    private let budget: ByteBudget
    /// The worker processes for isolated loads; nil for the program's shared ones.
    private let workers: WorkerPool?

    init(
        pool: WorkPool = ImageMaker.pool,
        budget: ByteBudget = .decoding,
        workers: WorkerPool? = nil
    ) {
        self.pool = pool
        self.budget = budget
        self.workers = workers
    }

    /// How often bytes were decoded, or passed to a processor that decodes.
    var decodeCount: Int { decodes.load(ordering: .relaxed) }

    /// The images that files with the same bytes share; nil if they share none.
    var images: DecodedImages? { sharesEqualBytes ? shared : nil }

    /// Whether files with the same bytes share their images.
    var sharesEqualBytes: Bool {
        get { sharesImages.load(ordering: .relaxed) }
        set { sharesImages.store(newValue, ordering: .relaxed) }
    }

    /// The number of running jobs of single callers.
    var runningCount: Int { running.load(ordering: .relaxed) }

    /// Returns the image that a processor makes of an image or of bytes, for one caller.
    ///
    /// - Throws: ``KingfisherError`` if the processor returns nil; `CancellationError` as soon as
    ///   the caller's task is cancelled, even if the processor is still running.
    func image(
        of item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) async throws -> KFCrossPlatformImage {
        let lane = Lane(in: pool, priority: options.priority, for: self)
        return try await Job.run(in: lane) { [self] _ in
            try await image(of: item, options, in: lane)
        }
    }

    /// Returns the image that a request's processor makes of pixels, for one caller.
    ///
    /// - Throws: As ``image(of:options:)``.
    func image(of bitmap: Bitmap, _ request: DecodeRequest) async throws -> KFCrossPlatformImage {
        let plan = DecodePlan(own: bitmap.size, base: bitmap.size)
        let lane = Lane(in: pool, priority: request.options.priority, for: self)
        return try await Job.run(in: lane) { [self] _ in
            if let image = try await image(of: bitmap, in: plan, request, in: lane) { return image }
            let item = ImageProcessItem.image(KFCrossPlatformImage(bitmap: bitmap, scale: 1))
            throw KingfisherError.processorError(
                reason: .processingFailed(processor: request.options.processor, item: item)
            )
        }
    }

    /// Runs other work on a thread of the pool, within the budget.
    ///
    /// - Throws: The error of the work; `CancellationError` as soon as the task is cancelled.
    func run<Value: Sendable>(
        bytes: Int,
        priority: Float = 0.5,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let lane = Lane(in: pool, priority: priority, for: self)
        return try await Job.run(in: lane) { [budget] _ in
            try await budget.with(bytes: bytes) {
                try Task.checkCancellation()
                return try work()
            }
        }
    }

    // MARK: Work in a lane

    /// As above, in the current task, which belongs to a lane.
    func image(
        of item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo,
        in lane: Lane
    ) async throws -> KFCrossPlatformImage {
        running.add(1, ordering: .relaxed)
        defer { running.subtract(1, ordering: .relaxed) }
        if case .data = item { decodes.add(1, ordering: .relaxed) }
        var options = options
        // Also for a load without the option: the mark of a file decides.
        if item.isUntrusted { options.isolated = true }
        if options.isolated || item.isDrawing, let data = item.encoded(for: options.processor) {
            return try await isolatedImage(of: data, options, in: lane)
        }
        let cost = WorkCost(options)
            .of(item, by: options.processor, preloads: options.preloadAllAnimationData)
        return try await budget.with(bytes: cost) { try await run(item, options, in: lane) }
    }

    /// Makes the image that a serializer makes of stored bytes; nil if it makes none.
    func image(
        of data: Data,
        by decoding: SerializerDecoding,
        _ options: KingfisherParsedOptionsInfo,
        in lane: Lane
    ) async throws -> KFCrossPlatformImage? {
        decodes.add(1, ordering: .relaxed)
        let (processor, preloads) = (DefaultImageProcessor.default, options.preloadAllAnimationData)
        let cost =
            isApart(data, options)
            ? 0 : WorkCost(options).of(.data(data), by: processor, preloads: preloads)
        return try await budget.with(bytes: cost) {
            try Task.checkCancellation()
            // Code of the user may wait for another load.
            return WorkPool.$isOccupied.withValue(true) { decoding.image(of: data) }
        }
    }

    /// Makes the image in a worker process as far as the worker knows the processors, then here.
    private func isolatedImage(
        of data: Data,
        _ options: KingfisherParsedOptionsInfo,
        in lane: Lane
    ) async throws -> KFCrossPlatformImage {
        let decoding = try IsolatedDecoding(for: data, options, workers)
        let header = try await lane.leaving {
            try await decoding.header(of: data, options, lane.urgency)
        }
        let cost = header.map { WorkCost(options).of($0, by: options.processor) } ?? 0
        let cut = ProcessorCut(options.processor)
        return try await budget.with(bytes: cost) {
            guard let remote = cut.remote else {
                return try await run(.data(data), options, in: lane)
            }
            let image = try await lane.leaving {
                try await decoding.image(of: data, by: remote, options, lane.urgency)
            }
            guard !cut.local.isEmpty else { return image }
            var rest = options
            rest.processor = ProcessorChain(steps: cut.local)
            // The chain passes the profile of the colours on.
            return try await run(.image(image), rest, in: lane)
        }
    }

    /// Runs the processor in the lane, or on the queue of the options.
    private func run(
        _ item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo,
        in lane: Lane
    ) async throws -> KFCrossPlatformImage {
        try Task.checkCancellation()
        guard let queue = options.processingQueue else { return try Self.process(item, options) }
        return try await lane.leaving {
            try await withCheckedThrowingContinuation { continuation in
                queue.execute {
                    continuation.resume(with: Result { try Self.process(item, options) })
                }
            }
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
        let scope = options.acceptsTruncatedFiles ? TruncationScope() : nil
        let image = try limited(options) {
            PortableProcessors.contain(options.processor)
                ? options.processor.process(item: item, options: options, in: scope)
                // Code of the user may wait for another load.
                : WorkPool.$isOccupied.withValue(true) {
                    options.processor.process(item: item, options: options, in: scope)
                }
        }
        if scope?.foundTruncated == true || item.isTruncated {
            image?.attached.change { $0.isTruncated = true }
        }
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

    private func isApart(_ data: Data, _ options: KingfisherParsedOptionsInfo) -> Bool {
        options.isolated || data.isDrawing
    }

    /// Plans the decoding of bytes for their requests; nil if the processors should get the bytes.
    ///
    /// - Parameters:
    ///   - requests: The requests that wait, all with the isolation of `options`.
    ///   - data: The bytes.
    ///   - options: The options of the caller.
    ///   - lane: The lane of the current task.
    /// - Returns: The plan.
    /// - Throws: ``KingfisherError`` if a worker process fails; `CancellationError`.
    func plan(
        _ requests: [DecodeRequest],
        for data: Data,
        _ options: KingfisherParsedOptionsInfo,
        in lane: Lane
    ) async throws -> DecodePlan? {
        // A single isolated request is processed where it is decoded.
        guard !isApart(data, options) || Set(requests.map(\.key)).count > 1 else { return nil }
        // Bytes without a readable header fail in the processor, which reports the reason. The
        // size that a worker reports is untrusted.
        let sides = 1...PixelLimits.maxDimension
        guard let header = try await header(of: data, options, in: lane),
            sides.contains(header.size.width), sides.contains(header.size.height)
        else { return nil }
        return DecodePlan(
            requests,
            of: Codecs.format(of: data),
            header,
            maxBytes: budget.limit / 4
        )
    }

    private func header(
        of data: Data,
        _ options: KingfisherParsedOptionsInfo,
        in lane: Lane
    ) async throws -> FileHeader? {
        guard isApart(data, options) else { return FileHeader(data, preloads: false) }
        return try await lane.leaving {
            try await IsolatedDecoding(for: data, options, workers).header(
                of: data,
                options,
                lane.urgency
            )
        }
    }

    /// Decodes the shared bitmap of a plan.
    ///
    /// - Throws: `CodecError` or, from a worker process, ``KingfisherError`` if the bytes cannot be
    ///   decoded; `CancellationError`.
    func bitmap(
        of data: Data,
        in plan: DecodePlan,
        _ options: KingfisherParsedOptionsInfo,
        in lane: Lane
    ) async throws -> Bitmap {
        decodes.add(1, ordering: .relaxed)
        let cost = WorkCost.decoding(to: plan.base, from: plan.own)
        return try await budget.with(bytes: cost) {
            guard isApart(data, options) else {
                try Task.checkCancellation()
                return try plan.decode(data)
            }
            return try await lane.leaving {
                try await IsolatedDecoding(for: data, options, workers)
                    .bitmap(of: data, in: plan, options, lane.urgency)
            }
        }
    }

    /// Makes a smaller bitmap of a shared one.
    ///
    /// - Throws: `CodecError` if memory runs out; `CancellationError`.
    func resized(_ bitmap: Bitmap, to size: PixelSize) async throws -> Bitmap {
        try await budget.with(bytes: size.byteCount) { try Self.resized(bitmap, to: size) }
    }

    private static func resized(
        _ bitmap: Bitmap,
        to size: PixelSize
    ) throws(CodecError) -> Bitmap {
        do throws(PixelError) {
            return try resample(bitmap, to: size)
        } catch {
            throw .pixels(error)
        }
    }

    /// Makes the image of one request from a shared bitmap.
    ///
    /// - Parameters:
    ///   - bitmap: The result of ``bitmap(of:in:_:in:)``.
    ///   - plan: The plan of the bitmap; it must serve the request.
    ///   - request: Determines the size and the processor.
    ///   - lane: The lane of the current task.
    /// - Returns: The image; nil if the processor returns none.
    /// - Throws: `CodecError` if memory runs out; `CancellationError`.
    func image(
        of bitmap: Bitmap,
        in plan: DecodePlan,
        _ request: DecodeRequest,
        in lane: Lane
    ) async throws -> KFCrossPlatformImage? {
        let options = request.options
        let size = request.size(of: plan.own)
        let copy = size == bitmap.size ? 0 : size.byteCount
        let cost = max(copy, WorkCost(options).drawing(on: size, by: options.processor))
        return try await budget.with(bytes: cost) {
            try Task.checkCancellation()
            let bitmap = try Self.resized(bitmap, to: size)
            let image = KFCrossPlatformImage(bitmap: bitmap, scale: options.scaleFactor)
            return try Self.limited(options) { request.image(image, of: plan.own) }
        }
    }
}

extension ImageProcessor {
    /// Processes an item, and accepts truncated files if there is a scope.
    fileprivate func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo,
        in scope: TruncationScope?
    ) -> KFCrossPlatformImage? {
        guard let scope else { return process(item: item, options: options) }
        return scope.run { process(item: item, options: options) }
    }
}

extension ImageProcessItem {
    /// Whether it is an image whose file ended early.
    fileprivate var isTruncated: Bool {
        if case .image(let image) = self { image.kf.isTruncated } else { false }
    }
}

extension ByteBudget {
    /// The memory for all decoding of the process: a quarter of its memory limit, at least 256 MiB.
    static let decoding = ByteBudget(limit: max(256 << 20, MemoryLimit.defaultCacheCost()))
}
