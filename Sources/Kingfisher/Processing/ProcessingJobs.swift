import Codecs
import Foundation
import Pixels

/// Runs processors off the callers' threads, each piece of work once for all who want it.
final class ProcessingJobs: Sendable {
    /// What makes two pieces of work the same.
    struct Key: Hashable, Sendable {
        /// The bytes or the image that go in: an identity, never a guess from a URL.
        var input: Input
        var processor: String
        var scale: CGFloat
        var preloadsAll: Bool
        var onlyFirstFrame: Bool

        enum Input: Hashable, Sendable {
            case download(ObjectIdentifier)
            case unshared(UUID)
        }
    }

    /// One pool for the whole process: the cores are shared by all.
    static let pool = WorkPool(
        label: "com.onevcat.Kingfisher.processing",
        width: ProcessInfo.processInfo.activeProcessorCount
    )

    private let jobs = SharedJobs<Key, KFCrossPlatformImage>()
    private let pool: WorkPool
    private let budget: ByteBudget

    init(pool: WorkPool = ProcessingJobs.pool, budget: ByteBudget = .decoding) {
        self.pool = pool
        self.budget = budget
    }

    /// The processed image of bytes or of an image.
    ///
    /// - Parameters:
    ///   - item: What goes in.
    ///   - options: The processor, and where and how it works.
    ///   - input: Callers with the same input, processor and creating options share the work.
    /// - Returns: The processor's image.
    /// - Throws: ``KingfisherError`` when the processor gives nothing, `CancellationError`.
    func image(
        of item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo,
        input: Key.Input = .unshared(UUID())
    ) async throws -> KFCrossPlatformImage {
        let key = Key(
            input: input,
            processor: options.processor.identifier,
            scale: options.scaleFactor,
            preloadsAll: options.preloadAllAnimationData,
            onlyFirstFrame: options.onlyLoadFirstFrame
        )
        return try await jobs.value(for: key) { [pool, budget] in
            try await budget.with(bytes: Self.cost(of: item, options: options)) {
                try await Self.run(item, options, on: pool)
            }
        }
    }

    private static func run(
        _ item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo,
        on pool: WorkPool
    ) async throws -> KFCrossPlatformImage {
        let processor = options.processor
        let work: @Sendable () throws -> KFCrossPlatformImage = {
            guard let image = processor.process(item: item, options: options) else {
                throw KingfisherError.processorError(
                    reason: .processingFailed(processor: processor, item: item)
                )
            }
            return image
        }
        guard let queue = options.processingQueue else {
            return try await pool.run(priority: options.downloadPriority, work)
        }
        return try await withCheckedThrowingContinuation { continuation in
            queue.execute { continuation.resume(with: Result { try work() }) }
        }
    }

    /// The bytes that the decoded picture is expected to take; 0 when no header tells.
    private static func cost(
        of item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> Int {
        switch item {
        case .image(let image):
            image.cacheCost
        case .data(let data):
            // Bytes without a readable header fail in the processor, which says why.
            (try? Codecs.inspect(data)).map { cost(of: $0.displaySize, options: options) } ?? 0
        }
    }

    private static func cost(of own: PixelSize, options: KingfisherParsedOptionsInfo) -> Int {
        let pixels = own.pixelCount ?? 0
        let sized = (options.processor as? any SizedDecoding)?
            .decodedSize(of: own, scale: options.scaleFactor)?.pixelCount
        // Decoding to a size goes by rows; a sixteenth is room for the rows and the decoder's own.
        return sized.map { max($0 * Bitmap.bytesPerPixel, pixels / 4) }
            ?? pixels * Bitmap.bytesPerPixel
    }
}

extension ByteBudget {
    /// What all decoders of the process may hold at once: a quarter of its memory.
    static let decoding = ByteBudget(limit: max(256 << 20, MemoryLimit.defaultCacheCost()))
}
