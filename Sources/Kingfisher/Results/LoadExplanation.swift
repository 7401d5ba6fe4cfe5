/// What a load would do, and why.
public struct LoadExplanation: Sendable, CustomStringConvertible {
    /// Where the image would come from.
    public enum Outcome: Sendable, Hashable {
        /// From a layer of the target cache.
        case cache(CacheType)
        /// Made from a cached original.
        case original
        /// From the network.
        case download
        /// From the provider.
        case provider
        /// From nowhere: the options allow the cache alone.
        case fails
    }

    /// The key of the source.
    public let key: String
    /// The identifier of the processor, empty for the default one.
    public let processor: String
    /// Why memory would not answer; nil when it would.
    public let memory: CacheMissReason?
    /// Why the disk would not answer; nil when it would.
    public let disk: CacheMissReason?
    /// Why no cached original would do; nil when one would.
    public let original: CacheMissReason?
    /// Where the image would come from.
    public let outcome: Outcome

    /// The explanation as lines of text; names and passwords in URLs are left out.
    public var description: String {
        let processed = processor.isEmpty ? "no processor" : processor
        var lines = ["\(key.withoutUsers) (\(processed))"]
        lines.append("  memory    \(Self.text(memory))")
        lines.append("  disk      \(Self.text(disk))")
        // Without a processor the image is its own original.
        if !processor.isEmpty || original != .notAsked {
            lines.append("  original  \(Self.text(original))")
        }
        lines.append("  so it     \(summary)")
        return lines.joined(separator: "\n")
    }

    private static func text(_ reason: CacheMissReason?) -> String {
        switch reason {
        case nil: "hit"
        case .notAsked?: "not asked, by the options"
        case let reason?: "miss, \(reason)"
        }
    }

    private var summary: String {
        switch outcome {
        case .cache(.memory): "comes from memory"
        case .cache: "comes from the disk"
        case .original: "is made from the cached original"
        case .download: "is downloaded"
        case .provider: "is asked from its provider"
        case .fails: "fails, because the options allow the cache alone"
        }
    }
}
