import Foundation

/// The outcome of a load's request to the ``SharedImageStorage`` of its cache.
public enum SharedStorageAnswer: String, Sendable, CaseIterable {
    /// The storage has the image.
    case hit
    /// The storage does not have the image.
    case miss
    /// The storage failed, took too long, or is paused; the load continues without it.
    case unavailable
    /// Other machines wait for this one to make the image.
    case granted
    /// Another machine made the image while this load waited.
    case madeElsewhere
    /// The load makes the image without a lease: there is none, or another machine took too long.
    case notGranted
}

/// An event of a load.
public struct LoadEvent: Sendable {
    /// A stage of a load.
    public enum Stage: String, Sendable, CaseIterable {
        /// The lookup in the caches.
        case lookup
        /// Downloading, or reading from a provider.
        case fetch
        /// Decoding and processing.
        case process
        /// Storing in the caches.
        case store
    }

    /// The kind of an event.
    public enum Kind: Sendable {
        /// The load began.
        case started
        /// A stage began.
        case began(Stage)
        /// A stage ended, successfully or not.
        case ended(Stage)
        /// A layer has the image.
        case hit(CacheType)
        /// A layer does not have the image.
        case miss(CacheType, CacheMissReason)
        /// The storage that machines share was asked, which took this time.
        ///
        /// Its hits are reported as hits of the disk too.
        case sharedStorage(SharedStorageAnswer, took: Duration)
        /// Another attempt starts with this source because of this error.
        case restarted(Source, because: KingfisherError)
        /// The load succeeded; the value is the image's origin.
        case succeeded(CacheType)
        /// The load failed.
        case failed(KingfisherError)
    }

    /// A number that identifies the load within the process.
    public let load: UInt64
    /// The key of the requested source.
    public let key: String
    /// The identifier of the processor; empty for the default one.
    public let processor: String
    /// The time since the first observed load of the process.
    public let time: Duration
    /// The kind of the event.
    public let kind: Kind
}

/// The time spent in each stage of a load; nil for a skipped stage.
public struct LoadTimings: Sendable, Hashable {
    /// The lookup in memory and on disk, including reading and decoding the cached file.
    public internal(set) var lookup: Duration?

    /// Downloading, or reading from a provider.
    public internal(set) var fetch: Duration?

    /// Decoding and processing.
    public internal(set) var process: Duration?

    /// Storing in memory, and on disk if the load waited for it.
    public internal(set) var store: Duration?

    /// Asking the ``SharedImageStorage``, which is a part of ``lookup``, and waiting for another
    /// machine.
    public internal(set) var sharedStorage: Duration?

    /// From the call to the result.
    public internal(set) var total: Duration?

    init() {}
}

/// Recorded events in the JSON form of the Trace Event Format.
struct ChromeTrace: Encodable {
    let displayTimeUnit = "ms"
    let traceEvents: [Event]

    init(_ events: [LoadEvent]) {
        traceEvents = events.flatMap(Event.events)
    }

    struct Event: Encodable {
        let name: String
        let ph: String
        let ts: Double
        let tid: UInt64
        let pid = 1
        /// The scope of an instant event: `t`, its own row.
        let s: String?
        let args: [String: String]

        private init(_ event: LoadEvent, _ name: String, _ phase: String, _ args: [String: String])
        {
            self.name = name
            ph = phase
            ts = event.time.inMilliseconds * 1_000
            tid = event.load
            s = phase == "i" ? "t" : nil
            self.args = args.mapValues { $0.disclosing(.path) }
        }

        static func events(_ event: LoadEvent) -> [Event] {
            switch event.kind {
            case .started:
                [
                    Event(event, "thread_name", "M", ["name": row(of: event)]),
                    Event(event, "load", "B", ["key": event.key, "processor": event.processor]),
                ]
            case .began(let stage):
                [Event(event, stage.rawValue, "B", [:])]
            case .ended(let stage):
                [Event(event, stage.rawValue, "E", [:])]
            case .hit(.none):
                [Event(event, "hit: original", "i", [:])]
            case .hit(let type):
                [Event(event, "hit: \(type)", "i", [:])]
            case .miss(let type, let reason):
                [Event(event, "miss: \(type)", "i", ["reason": reason.description])]
            case .sharedStorage(let answer, let duration):
                [
                    Event(
                        event,
                        "shared storage: \(answer.rawValue)",
                        "i",
                        ["took": "\(duration.inMilliseconds) ms"]
                    )
                ]
            case .restarted(let source, let error):
                [
                    Event(
                        event,
                        "next attempt",
                        "i",
                        ["source": source.cacheKey, "because": error.localizedDescription]
                    )
                ]
            case .succeeded(.none):
                [Event(event, "load", "E", ["result": "loaded"])]
            case .succeeded(let type):
                [Event(event, "load", "E", ["result": "from \(type)"])]
            case .failed(let error):
                [Event(event, "load", "E", ["result": error.localizedDescription])]
            }
        }

        /// The last path component of the key, followed by the processors without their domain.
        private static func row(of event: LoadEvent) -> String {
            let key = event.key.disclosing(.path)
            let name = key.split(separator: "/").last.map(String.init) ?? key
            guard !event.processor.isEmpty else { return name }
            let steps = event.processor.components(separatedBy: "|>").map { step in
                let head = step.prefix { $0 != "(" }
                let domain = head.lastIndex(of: ".").map { head.index(after: $0) }
                return String(step[(domain ?? head.startIndex)...])
            }
            return "\(name) (\(steps.joined(separator: ", ")))"
        }
    }
}
