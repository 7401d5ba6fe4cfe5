import Foundation
import Kingfisher
import Synchronization

/// Encodes a result, by a fixed quality or by a search for one.
///
/// One encoder serves one result.
final class ResultEncoder: Sendable {
    /// How the quality is found.
    struct Rule: Sendable, Hashable {
        let format: OutputFormat
        /// 1…100; the highest one of a search for `maxBytes`.
        var quality: Int
        /// The size that lower qualities should reach; nil for any.
        var maxBytes: Int?
        /// The lowest one of a search for `maxBytes`.
        var lowestQuality = ResultEncoder.lowestQuality
        /// Whether the result is the file of an animation, made by its processor.
        var isAnimated = false
        /// Whether a JPEG is progressive.
        var isProgressive = false
        /// See ``ImageEncoding/effort``.
        var effort: Int?
        /// See ``ImageEncoding/maxColorCount``.
        var maxColorCount: Int?
        /// See ``ImageEncoding/subsamplesChroma``.
        var subsamplesChroma: Bool?
        /// How a WebP, AVIF or JPEG XL is compressed.
        var compression = Compression.lossy
        /// Nil without a search.
        var similarity: SimilarityTarget?
        /// A search that takes longer ends with its best file so far.
        ///
        /// Five seconds: half of the time for a request, whose end would leave no file at all.
        var searchTime = Duration.seconds(5)

        /// Whether the quality has no effect.
        var isLossless: Bool { format.isLossless || compression == .lossless && !isAnimated }
    }

    /// The measure of the last encoding.
    struct Outcome: Sendable, Hashable {
        /// The quality that was used.
        var quality: Int
        /// How often the image was encoded.
        var encodings: Int
        var time: Duration
        /// The size of the image in pixels.
        var size: Extent
        /// Whether the source of the image ended early.
        var isTruncated = false
    }

    /// The lowest quality of a search for a size: below, JPEG shows little but its blocks.
    static let lowestQuality = 10

    private let rule: Rule
    private let state = Mutex<Outcome?>(nil)
    private let isCancelled = Atomic(false)

    init(_ rule: Rule) { self.rule = rule }

    /// Nil before an image was encoded.
    var outcome: Outcome? { state.withLock { $0 } }

    /// Ends a search after its current encoding, because no client waits for the result.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// The file of an image; nil if its format cannot hold it.
    func file(of image: KFCrossPlatformImage) -> Data? {
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + rule.searchTime
        var attempts = Attempts(image, rule) { [self] in
            isCancelled.load(ordering: .relaxed) || clock.now >= end
        }
        guard let found = attempts.search() else { return nil }
        let outcome = Outcome(
            quality: found.quality,
            encodings: attempts.count,
            time: clock.now - start,
            size: Extent(width: image.pixelWidth, height: image.pixelHeight),
            isTruncated: image.kf.isTruncated
        )
        state.withLock { $0 = outcome }
        return found.data
    }
}

/// The distance that the search for the lowest quality accepts.
struct SimilarityTarget: Sendable, Hashable {
    /// The largest DSSIM.
    var distance: Double
    /// The qualities to search, ends included.
    var qualities: ClosedRange<Int>
}

/// Encodings of one image in several qualities.
private struct Attempts {
    private var image: KFCrossPlatformImage
    private let rule: ResultEncoder.Rule
    /// Whether the search has to end.
    private let isLate: () -> Bool
    /// How often the image was encoded.
    private(set) var count = 0

    typealias Encoded = (data: Data, quality: Int)

    init(
        _ image: KFCrossPlatformImage,
        _ rule: ResultEncoder.Rule,
        isLate: @escaping () -> Bool
    ) {
        (self.image, self.rule, self.isLate) = (image, rule, isLate)
    }

    mutating func search() -> Encoded? {
        // An animation has its quality already, and lossless formats have none.
        let isFixed = rule.isLossless || rule.isAnimated
        guard !isFixed else { return encoded(rule.quality) }
        let similar = rule.similarity.flatMap { mostSimilar($0) }
        let hasProfile = image.kf.colorProfile != nil
        // The search compares channels, whatever their colours are.
        guard
            let best = hasProfile
                ? encoded(similar?.quality ?? rule.quality)
                : similar ?? encoded(rule.quality)
        else { return nil }
        guard let limit = rule.maxBytes, limit > 0, best.data.count > limit else { return best }
        return largest(below: best, limit)
    }

    private mutating func encoded(_ quality: Int) -> Encoded? {
        count += 1
        return image.encoded(
            as: rule.format,
            quality: quality,
            isAnimated: rule.isAnimated,
            isProgressive: rule.isProgressive,
            effort: rule.effort,
            maxColorCount: rule.maxColorCount,
            subsamplesChroma: rule.subsamplesChroma,
            compression: rule.compression
        ).map { ($0, quality) }
    }

    /// The highest quality below `best` whose file has at most `limit` bytes, by binary search.
    ///
    /// If there is none, the file of the lowest quality, which is then larger.
    private mutating func largest(below best: Encoded, _ limit: Int) -> Encoded? {
        var (low, high) = (rule.lowestQuality, best.quality - 1)
        guard low <= high else { return best }
        guard var found = encoded(low) else { return best }
        guard found.data.count <= limit else { return found }
        low += 1
        while low <= high, !isLate() {
            let middle = (low + high + 1) / 2
            guard let attempt = encoded(middle) else { break }
            if attempt.data.count <= limit {
                found = attempt
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        return found
    }

    /// The lowest quality within the distance, by binary search; the highest one if none is.
    private mutating func mostSimilar(_ target: SimilarityTarget) -> Encoded? {
        var plain = self
        plain.image = image.kf.withColorProfile(nil)
        defer { count = plain.count }
        return plain.mostSimilarOfPlain(target)
    }

    private mutating func mostSimilarOfPlain(_ target: SimilarityTarget) -> Encoded? {
        let original = LumaPlane(image)
        var (low, high) = (target.qualities.lowerBound, target.qualities.upperBound)
        var found: Encoded?
        while low <= high, !isLate() {
            let middle = (low + high) / 2
            guard let attempt = encoded(middle) else { return nil }
            if distance(of: attempt.data, to: original) <= target.distance {
                found = attempt
                high = middle - 1
            } else {
                low = middle + 1
            }
        }
        return found ?? encoded(target.qualities.upperBound)
    }

    /// 1, the largest distance, for a file that cannot be decoded.
    private func distance(of file: Data, to original: LumaPlane) -> Double {
        KFCrossPlatformImage(data: file).map { LumaPlane($0).dissimilarity(to: original) } ?? 1
    }
}
