import Foundation
import KFCodecs
import KFPixels
import Synchronization

/// An encoded file that is here or will be read, and everything that is made of it, each step once
/// for all callers that need it.
///
/// ```
/// file ─ one decoded bitmap ┬ image of processor A
///                           ├ image of processor B
///                           └ …                     a processor that needs the bytes: not shared
/// ```
///
/// When the bytes arrive, the waiting requests determine the size of the shared bitmap; a later
/// request uses the bitmap if it is large enough. The cost of resampling grows with its input, so
/// that small images are made from halves of the bitmap, which are shared, too. Each caller waits
/// only for its own image. A cancelled caller does not affect the others; the last caller of a step
/// cancels it. A step is as urgent as its most urgent caller.
///
/// The first request reads the file and makes its image in one task on the threads of the pool.
/// Callers retain the object; its results are kept as long, so that no step is done twice. Files
/// with the same bytes share the jobs of equal requests (``DecodedImages``).
final class EncodedImage: Sendable {
    typealias Read = @Sendable () throws -> DiskContents?

    /// There is no file, or it cannot be read for a reason, or its serializer refuses it.
    struct Missing: Error {
        var reason: KingfisherError?
        /// Whether the file is there, and no load can use it.
        var isDamaged = false
    }

    /// No request needed the file when it was to be read.
    struct Unwanted: Error {}

    private struct Waiter: Sendable {
        let request: DecodeRequest
        let job: Job<KFCrossPlatformImage>
        let isWanted: @Sendable () -> Bool
    }

    private enum Content: Sendable {
        case unread, reading
        case file(DiskContents?)
    }

    private struct State {
        var content = Content.unread
        /// The requests that wait for the file.
        var waiters: [Waiter] = []
        /// The requests of those who wait for a download, by their numbers.
        var expected: [(caller: Int, request: DecodeRequest)] = []
        /// The requests that determine how the file is decoded.
        var planned: [DecodeRequest] = []
        /// Lets another file be read, once this one is released.
        var letOthersBegin: (@Sendable () -> Void)?
        /// The plans for decoding here and in a worker process.
        var plans: [Bool: DecodePlan?] = [:]
        /// Identifies the bytes, once it was needed; inner nil if they have no fingerprint.
        var fingerprint: Fingerprint??
    }

    private struct BitmapKey: Hashable {
        let size: PixelSize
        /// How often the bitmap of that size was halved.
        let halvings: Int
        /// Isolated callers never get a bitmap that this process decoded.
        let isIsolated: Bool
    }

    private let state = Mutex(State())
    private let bitmaps = JobTable<BitmapKey, Bitmap>()
    private let images = JobTable<DecodeRequest.Key, KFCrossPlatformImage>()
    private let read: Read
    private let ended: (@Sendable () -> Void)?

    /// Makes a file that is read when the first image is made.
    ///
    /// - Parameters:
    ///   - read: Reads the file, blocking; nil if there is none.
    ///   - ended: Called when the last caller has released the object.
    init(
        read: @escaping Read = { nil },
        ended: (@Sendable () -> Void)? = nil
    ) {
        self.read = read
        self.ended = ended
    }

    deinit {
        ended?()
        state.withLock { $0.letOthersBegin }?()
    }

    /// Records a request that waits for a download; those that wait when the bytes arrive determine
    /// how they are decoded.
    func expect(_ request: DecodeRequest, from caller: Int) {
        state.withLock { state in
            if case .unread = state.content { state.expected.append((caller, request)) }
        }
    }

    /// Forgets the request of a caller that no longer waits for the download.
    func withdraw(_ caller: Int) {
        state.withLock { $0.expected.removeAll { $0.caller == caller } }
    }

    /// Provides the bytes, unless they are here.
    func supply(_ data: Data) {
        state.withLock { state in
            guard case .unread = state.content else { return }
            state.content = .file(DiskContents(data: data, metadata: nil))
            state.planned = state.expected.map(\.request)
            state.expected = []
        }
    }

    /// The file, once it was read.
    var file: DiskContents? {
        state.withLock { if case .file(let file) = $0.content { file } else { nil } }
    }

    // MARK: Requests

    /// Returns the image that a request's processor makes of the file.
    ///
    /// - Parameters:
    ///   - request: Contains the processor.
    ///   - maker: Runs the work.
    ///   - staysCancelled: Whether to wait for the image even if the task is cancelled.
    ///   - isWanted: Called before the file is read; whether the image is still needed.
    /// - Returns: The image.
    /// - Throws: ``KingfisherError`` if the processor returns nil or the file cannot be read;
    ///   ``Missing``, ``Unwanted``, `CancellationError`.
    func image(
        _ request: DecodeRequest,
        by maker: ImageMaker,
        staysCancelled: Bool = false,
        isWanted: @escaping @Sendable () -> Bool = { true }
    ) async throws -> KFCrossPlatformImage {
        let urgency = Urgency(request.options.priority)
        let follower = request.options.interest?.follow { priority in urgency.change { priority } }
        defer { if let follower { request.options.interest?.unfollow(follower) } }
        return try await Job.value(urgency: urgency, staysCancelled: staysCancelled) {
            join(request, maker, isWanted)
        }
    }

    private func join(
        _ request: DecodeRequest,
        _ maker: ImageMaker,
        _ isWanted: @escaping @Sendable () -> Bool
    ) -> Job<KFCrossPlatformImage> {
        let (job, starts) = state.withLock { state in
            let (job, isNew) = images.job(for: request.key) { makeJob(request, maker) }
            if case .file = state.content {
                // Others cannot begin before this file is released.
                if isNew, state.letOthersBegin != nil { job.lane?.advance() }
                return (job, isNew)
            }
            state.waiters.append(Waiter(request: request, job: job, isWanted: isWanted))
            guard isNew, case .unread = state.content else { return (job, false) }
            state.content = .reading
            return (job, true)
        }
        if starts { job.start() }
        return job
    }

    private func makeJob(
        _ request: DecodeRequest,
        _ maker: ImageMaker
    ) -> Job<KFCrossPlatformImage> {
        let lane = Lane(in: maker.pool, priority: request.options.priority, for: maker)
        return Job(in: lane) { [self] job in
            try readIfFirst(in: lane, request)
            return try await image(request, by: maker, in: lane, of: job)
        }
    }

    // MARK: Reading

    /// Reads the file in the task of the first request, and starts the others.
    private func readIfFirst(in lane: Lane, _ request: DecodeRequest) throws {
        let waiters = state.withLock { state -> [Waiter]? in
            if case .reading = state.content { state.waiters } else { nil }
        }
        guard let waiters else { return }
        let running = waiters.filter(\.job.isRunning)
        do {
            guard running.contains(where: { $0.isWanted() }) else { throw Unwanted() }
            let file = try lane.pool.blocking(read)
            // A worker process that decodes must not keep other files from being read.
            if let file, !request.key.isIsolated, !file.data.isDrawing {
                let letOthersBegin = lane.passOn()
                state.withLock { $0.letOthersBegin = letOthersBegin }
            }
            arrive(.file(file))
        } catch {
            arrive(.unread)
            throw error
        }
    }

    private func arrive(_ content: Content) {
        let waiters = state.withLock { state in
            state.content = content
            let waiters = state.waiters
            state.waiters = []
            state.planned = waiters.filter(\.job.isRunning).map(\.request)
            return waiters
        }
        for waiter in waiters {
            waiter.job.lane?.advance()
            waiter.job.start()
        }
    }

    // MARK: Making

    /// Makes the image of a request in the current task, which belongs to a lane.
    ///
    /// - Parameters:
    ///   - request: Contains the processor.
    ///   - maker: Runs the work.
    ///   - lane: The lane.
    ///   - job: The job of the task, which files with the same bytes share; nil to share nothing.
    /// - Returns: The image.
    /// - Throws: As ``image(_:by:staysCancelled:isWanted:)``.
    func image(
        _ request: DecodeRequest,
        by maker: ImageMaker,
        in lane: Lane,
        of job: Job<KFCrossPlatformImage>? = nil
    ) async throws -> KFCrossPlatformImage {
        let content = state.withLock { $0.content }
        // The request before this one did not read the file.
        guard case .file(let file) = content else { throw Unwanted() }
        guard let data = file?.data else { throw Missing() }
        if let decoding = request.decoding, decoding.applies(to: data) {
            let options = request.options
            let decoded = try await maker.image(of: data, by: decoding, options, in: lane)
            // Without an image from a worker, the bytes may be sound.
            guard let decoded else {
                throw Missing(isDamaged: !options.isolated && !data.isDrawing)
            }
            guard !options.processor.identifier.isEmpty else { return decoded }
            return try await maker.image(of: .image(decoded), options, in: lane)
        }
        guard request.takesBitmap, let plan = try await plan(for: request, data, maker, lane),
            plan.serves(request.size(of: plan.own))
        else { return try await maker.image(of: .data(data), request.options, in: lane) }
        guard let job, request.makesEqualImages, let images = maker.images,
            let bytes = fingerprint(of: data)
        else { return try await image(request, of: data, by: plan, maker, lane) }
        return try await images.image(for: .init(bytes: bytes, request: request.key), of: job) {
            try await image(request, of: data, by: plan, maker, lane)
        }
    }

    private func fingerprint(of data: Data) -> Fingerprint? {
        if let known = state.withLock({ $0.fingerprint }) { return known }
        let made = Fingerprint(data)
        state.withLock { $0.fingerprint = .some(made) }
        return made
    }

    /// The plan for all requests that waited for the file; nil if there is nothing to share.
    private func plan(
        for request: DecodeRequest,
        _ data: Data,
        _ maker: ImageMaker,
        _ lane: Lane
    ) async throws -> DecodePlan? {
        let isIsolated = request.key.isIsolated
        let (known, planned) = state.withLock { ($0.plans[isIsolated], $0.planned) }
        if let known { return known }
        let alike = planned.filter {
            $0.key.isIsolated == isIsolated && $0.takesBitmap
                && $0.decoding?.applies(to: data) != true
        }
        let requests = alike.isEmpty ? [request] : alike
        let plan = try await maker.plan(requests, for: data, request.options, in: lane)
        state.withLock { $0.plans[isIsolated] = .some(plan) }
        return plan
    }

    /// Makes the image from the shared bitmap.
    private func image(
        _ request: DecodeRequest,
        of data: Data,
        by plan: DecodePlan,
        _ maker: ImageMaker,
        _ lane: Lane
    ) async throws -> KFCrossPlatformImage {
        let processor = request.options.processor
        do {
            let halvings = plan.halvings(for: request.size(of: plan.own))
            let bitmap = try await bitmap(halvings, data, plan, request.options, maker, lane)
            let image = try await maker.image(of: bitmap, in: plan, request, in: lane)
            if let image { return image }
        } catch is CodecError {
        } catch KingfisherError.processorError(let reason) {
            switch reason.processingError {
            case nil: break
            case .resultTooLarge: throw KingfisherError.processorError(reason: reason)
            case .isolationFailed(let failure):
                // The bitmap may have been requested with the options of another caller.
                throw KingfisherError.processorError(
                    reason: .isolationFailed(processor: processor, failure: failure)
                )
            }
        }
        // Also for undecodable bytes, as if the processor had decoded them.
        throw KingfisherError.processorError(
            reason: .processingFailed(processor: processor, item: .data(data))
        )
    }

    /// Returns the shared bitmap of the plan, halved as often as given.
    private func bitmap(
        _ halvings: Int,
        _ data: Data,
        _ plan: DecodePlan,
        _ options: KingfisherParsedOptionsInfo,
        _ maker: ImageMaker,
        _ lane: Lane
    ) async throws -> Bitmap {
        let key = BitmapKey(size: plan.base, halvings: halvings, isIsolated: options.isolated)
        return try await Job.value(urgency: lane.urgency, worksHere: true) {
            bitmaps.job(for: key) {
                Job { [self] _ in
                    guard halvings > 0 else {
                        return try await maker.bitmap(of: data, in: plan, options, in: lane)
                    }
                    let input = try await bitmap(halvings - 1, data, plan, options, maker, lane)
                    return try await maker.resized(input, to: input.size.half)
                }
            }
            .job
        }
    }
}
