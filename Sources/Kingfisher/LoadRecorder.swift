public import Foundation
import Synchronization

/// Records what a manager's loads do, for a trace viewer.
///
/// ```swift
/// let recorder = LoadRecorder(KingfisherManager.shared)
/// // … load …
/// try recorder.chromeTrace().write(to: url)
/// ```
///
/// Open the file in Perfetto or in `chrome://tracing`: each load has a row of its own.
public final class LoadRecorder: Sendable {
    private let events: Mutex<[LoadEvent]>
    private let observation: Mutex<LoadObservation?>
    private let limit: Int

    /// Starts to record.
    ///
    /// - Parameters:
    ///   - manager: Whose loads.
    ///   - limit: The most events that are kept; later ones are dropped.
    public init(_ manager: KingfisherManager, limit: Int = 100_000) {
        events = Mutex([])
        observation = Mutex(nil)
        self.limit = limit
        let started = manager.observeLoads { [weak self] event in self?.record(event) }
        observation.withLock { $0 = started }
    }

    private func record(_ event: LoadEvent) {
        events.withLock { if $0.count < limit { $0.append(event) } }
    }

    /// What was recorded so far, in order.
    public var recorded: [LoadEvent] { events.withLock { $0 } }

    /// Stops recording; what was recorded is kept.
    public func stop() {
        observation.withLock { $0 = nil }
    }

    /// The recorded events in the Trace Event Format.
    ///
    /// Source: "Trace Event Format", the Chromium project: duration events (`B`, `E`) and instant
    /// events (`i`), times in microseconds.
    ///
    /// - Returns: A JSON object.
    /// - Throws: What the JSON encoder throws.
    public func chromeTrace() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(ChromeTrace(traceEvents: recorded.flatMap(ChromeEvent.events)))
    }
}

private struct ChromeTrace: Encodable {
    let traceEvents: [ChromeEvent]
}

private struct ChromeEvent: Encodable {
    let name: String
    let ph: String
    let ts: Double
    let tid: UInt64
    var pid = 1
    var args: [String: String] = [:]

    private init(_ event: LoadEvent, _ name: String, _ phase: String, _ detail: String? = nil) {
        self.name = name
        ph = phase
        ts = event.time.inMilliseconds * 1_000
        tid = event.load
        args = ["key": event.key, "processor": event.processor]
        args["detail"] = detail
    }

    static func events(_ event: LoadEvent) -> [ChromeEvent] {
        switch event.kind {
        case .started:
            [ChromeEvent(event, "load", "B")]
        case .began(let stage):
            [ChromeEvent(event, stage.rawValue, "B")]
        case .ended(let stage):
            [ChromeEvent(event, stage.rawValue, "E")]
        case .hit(let type):
            [ChromeEvent(event, "hit: \(type)", "i")]
        case .miss(let type, let reason):
            [ChromeEvent(event, "miss: \(type)", "i", reason.description)]
        case .restarted(let source, let error):
            [ChromeEvent(event, "again", "i", "\(source.cacheKey): \(error.localizedDescription)")]
        case .succeeded(let type):
            [ChromeEvent(event, "load", "E", "succeeded, cache: \(type)")]
        case .failed(let error):
            [ChromeEvent(event, "load", "E", error.localizedDescription)]
        }
    }
}
