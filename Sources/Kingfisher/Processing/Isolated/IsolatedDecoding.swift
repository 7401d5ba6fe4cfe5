import Foundation
import KFCodecs
import KFPixels
import Synchronization

/// Decoding by a pool of worker processes: the parent's side.
struct IsolatedDecoding: Sendable {
    let pool: WorkerPool

    init(pool: WorkerPool) { self.pool = pool }

    /// Decoding for an isolated load.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - options: The load's.
    ///   - pool: Nil for the pool of the program.
    /// - Throws: ``KingfisherError`` when the program has none.
    @inline(never)
    init(
        for data: Data,
        _ options: KingfisherParsedOptionsInfo,
        _ pool: WorkerPool?
    ) throws(KingfisherError) {
        do throws(IsolationFailure) {
            self.pool = if let pool { pool } else { try ProcessIsolation.pool(for: data) }
        } catch {
            throw .processorError(
                reason: .isolationFailed(processor: options.processor, failure: error)
            )
        }
    }

    /// The image that built-in processors make of a file.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - processor: One that ``PortableProcessors`` contain.
    ///   - options: The load's.
    ///   - urgency: Of the work.
    /// - Returns: The image.
    /// - Throws: ``KingfisherError``, `CancellationError`.
    func image(
        of data: Data,
        by processor: any ImageProcessor,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> KFCrossPlatformImage {
        let asked = IsolatedOptions(options)
        let answer = try await ask(
            .image(processor, asked),
            about: data,
            options.processor,
            urgency
        )
        return try image(answer, of: data, ParcelRules(processor, asked), options)
    }

    /// The bitmap that a plan decodes once for several requests.
    ///
    /// - Throws: ``KingfisherError``, `CancellationError`.
    func bitmap(
        of data: Data,
        in plan: DecodePlan,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> Bitmap {
        let answer = try await ask(.plan(plan), about: data, options.processor, urgency)
        // Without the limits of the load: they are for its result, which is smaller.
        var own = KingfisherParsedOptionsInfo(nil)
        own.processor = options.processor
        let rules = ParcelRules.still(own.resultLimits)
        guard let bitmap = try image(answer, of: data, rules, own).bitmap,
            bitmap.size == plan.base
        else {
            throw KingfisherError.processorError(
                reason: .isolationFailed(
                    processor: options.processor,
                    failure: .invalidAnswer("the picture has another size")
                )
            )
        }
        return bitmap
    }

    /// The values in a file's header; nil if it cannot be read.
    ///
    /// Formats whose headers are parsed by C libraries are asked about in a worker.
    ///
    /// - Throws: ``KingfisherError``, `CancellationError`.
    func header(
        of data: Data,
        _ options: KingfisherParsedOptionsInfo,
        _ urgency: Urgency
    ) async throws -> FileHeader? {
        let preloads = options.preloadAllAnimationData
        if !preloads, Codecs.format(of: data).map(\.hasSafeHeader) ?? true {
            return FileHeader(data, preloads: false)
        }
        let answer = try await ask(.header, about: data, options.processor, urgency)
        return try header(answer, options, preloads: preloads)
    }

    // Not inlined, because its values would take room in each load that waits for a worker.
    @inline(never)
    private func header(
        _ answer: WorkerMessage,
        _ options: KingfisherParsedOptionsInfo,
        preloads: Bool
    ) throws -> FileHeader? {
        guard
            case .header(var header) = try Self.checked(
                { () throws(WireError) in
                    try IsolatedAnswer(answer)
                },
                options
            )
        else { return nil }
        if !preloads { header?.preloadedBytes = 0 }
        return header
    }

    // MARK: For callers who may block

    /// The image that a processor of ours makes of a file, for a processor of a user's that gives
    /// it the bytes; nil when there is none.
    static func imageForBlockingCaller(
        of data: Data,
        by processor: any ImageProcessor = DefaultImageProcessor.default,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        do {
            let decoding = try IsolatedDecoding(for: data, options, nil)
            let asked = IsolatedOptions(options)
            let request = try IsolatedRequest.image(processor, asked).message(for: data)
            let answer = try decoding.pool.waitForAnswer(to: request)
            return try decoding.image(answer, of: data, ParcelRules(processor, asked), options)
        } catch {
            // By contract, processors return nil for an image that they cannot make.
            Log.debug("decoding apart failed: \(error)", key: options.processor.identifier)
            return nil
        }
    }

    /// Why no image can be made of a file; nil when one can.
    ///
    /// Where the program decodes apart, so is this. Blocks; not for the cooperative pool.
    static func undecodableReason(of data: Data) -> String? {
        guard let pool = ProcessIsolation.startedPool, !data.isDrawing else {
            return UndecodableReason.find(in: data)
        }
        do throws(WorkerFailure) {
            let request = try IsolatedRequest.reason.message(for: data)
            let answer = try pool.waitForAnswer(to: request)
            // An answer that cannot be is as good as none.
            guard case .reason(let reason)? = try? IsolatedAnswer(answer) else {
                return "the worker process gave no reason"
            }
            return reason
        } catch {
            return "\(error)"
        }
    }

    /// Whether a file is an image beyond the limits of decoding.
    ///
    /// False in a program that decodes in worker processes: it must not parse the bytes itself.
    static func isTooLarge(_ data: Data) -> Bool {
        ProcessIsolation.startedPool == nil && UndecodableReason.isTooLarge(data)
    }

    // MARK: Steps

    private func ask(
        _ request: IsolatedRequest,
        about data: Data,
        _ processor: any ImageProcessor,
        _ urgency: Urgency
    ) async throws -> WorkerMessage {
        do {
            return try await pool.answer(to: request.message(for: data), urgency: urgency)
        } catch let failure as WorkerFailure {
            throw KingfisherError.processorError(
                reason: .isolationFailed(processor: processor, failure: IsolationFailure(failure))
            )
        }
    }

    @inline(never)
    private func image(
        _ message: WorkerMessage,
        of data: Data,
        _ rules: ParcelRules,
        _ options: KingfisherParsedOptionsInfo
    ) throws(KingfisherError) -> KFCrossPlatformImage {
        let answer = try Self.checked(
            { () throws(WireError) in
                try IsolatedAnswer(message)
            },
            options
        )
        switch answer {
        case .image(let parcel):
            return try Self.checked(
                { () throws(WireError) in
                    try unpacked(parcel, of: data, rules)
                },
                options
            )
        case .tooLarge(let size):
            throw .processorError(
                reason: .resultTooLarge(
                    processor: options.processor,
                    size: CGSize(width: size.width, height: size.height),
                    limits: options.resultLimits
                )
            )
        case .nothing, .header, .reason, .info, .file:
            throw .processorError(
                reason: .processingFailed(processor: options.processor, item: .data(data))
            )
        }
    }

    func unpacked(
        _ parcel: ImageParcel,
        of data: Data,
        _ rules: ParcelRules
    ) throws(WireError) -> KFCrossPlatformImage {
        let unpacker = ImageUnpacker(file: data, rules: rules) { data, timing, scale in
            IsolatedFrameSource(data, timing, scale: scale, self)
        }
        return try unpacker.image(in: parcel)
    }

    private static func checked<Value>(
        _ body: () throws(WireError) -> Value,
        _ options: KingfisherParsedOptionsInfo
    ) throws(KingfisherError) -> Value {
        do throws(WireError) {
            return try body()
        } catch {
            throw .processorError(
                reason: .isolationFailed(
                    processor: options.processor,
                    failure: .invalidAnswer(error.description)
                )
            )
        }
    }
}

extension FileFormat {
    /// Whether its header is read by checked code of ours, rather than by a C library.
    var hasSafeHeader: Bool {
        switch self {
        case .jpeg, .png, .gif, .webp, .bmp, .ico: true
        case .avif, .heif, .jxl, .tiff, .svg: false
        }
    }
}

/// The frames of an animation, each decoded by a worker on demand.
///
/// Every frame costs handing the file over, and a worker that has not decoded the frame before
/// decodes from the beginning, or from the last frame that covers everything.
final class IsolatedFrameSource: UntrustedFrames, LoopCounting {
    private static let lastNumber = Atomic(0)

    let loopCount: Int
    private let file: Data
    private let delays: [TimeInterval]
    private let scale: CGFloat
    private let decoding: IsolatedDecoding
    /// Identifies the animation to the workers.
    private let number: Int

    init(
        _ file: Data,
        _ timing: ImageParcel.Timing,
        scale: CGFloat,
        _ decoding: IsolatedDecoding
    ) {
        self.file = file
        delays = timing.delays
        loopCount = timing.loopCount
        self.scale = scale
        self.decoding = decoding
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    var data: Data? { file }

    var frameCount: Int { delays.count }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        guard delays.indices.contains(index) else { return nil }
        let frame = IsolatedRequest.FrameRequest(
            animation: number,
            index: index,
            maxSize: maxSize,
            scale: scale
        )
        do {
            let request = try IsolatedRequest.frame(frame).message(for: file)
            let message = try decoding.pool.waitForAnswer(to: request)
            guard case .image(let parcel) = try IsolatedAnswer(message) else { return nil }
            return try decoding.unpacked(parcel, of: file, .still(.default))
        } catch {
            // The protocol's contract is nil for a frame that cannot be decoded.
            Log.debug("frame \(index) was not decoded: \(error)", key: "animation \(number)")
            return nil
        }
    }

    func duration(at index: Int) -> TimeInterval {
        delays.indices.contains(index) ? delays[index] : .infinity
    }
}

extension ImageProcessItem {
    /// Whether the bytes of an image may be decoded in a worker only, whatever the options are.
    var isUntrusted: Bool {
        if case .image(let image) = self { image.animationFile?.isUntrusted == true } else { false }
    }

    /// The bytes that are to be decoded, if there are any: those of an animation that is processed
    /// frame by frame, too.
    func encoded(for processor: any ImageProcessor) -> Data? {
        switch self {
        case .data(let data): return data
        case .image(let image):
            guard case .frames = Traits(of: processor.steps[0]).kind else { return nil }
            return image.kf.gifRepresentation()
        }
    }
}
