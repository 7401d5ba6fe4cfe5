import Foundation

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
            self.args = args.mapValues(\.withoutUsers)
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
            let name = event.key.split(separator: "/").last.map(String.init) ?? event.key
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
