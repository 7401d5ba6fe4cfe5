/// The expected course of a load, with reasons.
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
        /// Nowhere: the options or the downloader refuse the source, or the options allow only the
        /// cache and it has no image.
        case fails
    }

    /// The use of a cache's ``SharedImageStorage`` by a load.
    public enum SharedStorage: Sendable, Hashable {
        /// It asks the storage, because memory and disk have no image.
        case asked
        /// It does not ask the storage, which is paused after failures.
        case paused
    }

    /// A processor, and the process it runs in if bytes have to be decoded.
    public struct Step: Sendable, Hashable {
        /// The process a step runs in.
        public enum Place: Sendable, Hashable {
            /// This one.
            case thisProcess
            /// A worker process of ``ProcessIsolation``.
            case workerProcess
        }

        /// The identifier of the processor; empty if it only decodes.
        public let processor: String
        /// Where it runs; the first step decodes.
        public let place: Place
    }

    /// The key of the source.
    public let key: String
    /// The identifier of the processor; empty for the default one.
    public let processor: String
    /// Why memory has no image; nil if it has one.
    public let memory: CacheMissReason?
    /// Why the disk has no image; nil if it has one.
    public let disk: CacheMissReason?
    /// Why no cached original can be used; nil if one can.
    public let original: CacheMissReason?
    /// The use of the storage that machines share; nil if the load does not ask it.
    ///
    /// ``outcome`` assumes that this storage has no image.
    public let sharedStorage: SharedStorage?
    /// Where the image would come from.
    public let outcome: Outcome
    /// The processors in order.
    public let steps: [Step]

    /// The explanation as text of several lines, without user names and passwords in URLs.
    public var description: String {
        let processed = processor.isEmpty ? "no processor" : processor
        var lines = ["\(key.withoutUsers) (\(processed))"]
        lines.append("  memory    \(Self.text(memory))")
        lines.append("  disk      \(Self.text(disk))")
        switch sharedStorage {
        case .asked?: lines.append("  shared    asked before anything is loaded")
        case .paused?: lines.append("  shared    not asked, because it failed repeatedly")
        case nil: break
        }
        // Without a processor the cached image and the original are the same.
        if !processor.isEmpty || original != .notAsked {
            lines.append("  original  \(Self.text(original))")
        }
        if steps.contains(where: { $0.place == .workerProcess }) {
            lines += steps.map { "  \($0.text)" }
            lines.append("  here      encoding for the cache, which reads pixels and no file")
        }
        lines.append("  so it     \(summary)")
        return lines.joined(separator: "\n")
    }

    private static func text(_ reason: CacheMissReason?) -> String {
        switch reason {
        case nil: "hit"
        case .notAsked?: "not consulted, because of the options"
        case let reason?: "miss, \(reason)"
        }
    }

    private var summary: String {
        switch outcome {
        case .cache(.memory): "comes from memory"
        case .cache: "comes from the disk"
        case .original: "is made from the cached original"
        case .download: "is downloaded"
        case .provider: "is loaded from its provider"
        case .fails:
            "fails, because its source is refused, or the options allow only the cache"
        }
    }
}

extension LoadExplanation.Step {
    fileprivate var text: String {
        let name = processor.isEmpty ? "decoding" : processor
        return switch place {
        case .thisProcess: "here      \(name)"
        case .workerProcess: "apart     \(name)"
        }
    }
}
