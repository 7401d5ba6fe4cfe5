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
    /// Source: "Trace Event Format", the Chromium project: duration events (`B`, `E`), instant
    /// events (`i`) and names of rows (`M`), times in microseconds. Names and passwords in URLs are
    /// left out.
    ///
    /// - Returns: A JSON object.
    /// - Throws: What the JSON encoder throws.
    public func chromeTrace() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(ChromeTrace(recorded))
    }
}
