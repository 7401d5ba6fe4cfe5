public import Foundation
import Synchronization

/// Records the loads of a manager for a trace viewer.
///
/// ```swift
/// let recorder = LoadRecorder(KingfisherManager.shared)
/// // … load …
/// try recorder.chromeTrace().write(to: url)
/// ```
///
/// Open the file in Perfetto or in `chrome://tracing`. Each load has its own row.
public final class LoadRecorder: Sendable {
    private let events: Mutex<[LoadEvent]>
    private let observation: Mutex<LoadObservation?>
    private let limit: Int

    /// Starts recording.
    ///
    /// - Parameters:
    ///   - manager: The manager whose loads are recorded.
    ///   - limit: The maximum number of events to keep; later events are dropped.
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

    /// The events recorded so far, in order.
    public var recorded: [LoadEvent] { events.withLock { $0 } }

    /// Stops recording and keeps the recorded events.
    public func stop() {
        observation.withLock { $0 = nil }
    }

    /// The recorded events in the Trace Event Format.
    ///
    /// Source: "Trace Event Format", the Chromium project: duration events (`B`, `E`), instant
    /// events (`i`) and metadata events (`M`) that name the rows. Times are in microseconds. User
    /// names and passwords are removed from URLs.
    ///
    /// - Returns: A JSON object.
    /// - Throws: Any error of the JSON encoder.
    public func chromeTrace() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(ChromeTrace(recorded))
    }
}
