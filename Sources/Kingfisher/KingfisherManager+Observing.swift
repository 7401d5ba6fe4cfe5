public import Foundation
import Synchronization

extension KingfisherManager {
    /// Calls a closure for each event of this manager's loads.
    ///
    /// Loads that are already running are not reported. Without observers an event costs one atomic
    /// read.
    ///
    /// - Parameter handler: Called on the thread of the event, in order within one load. Move
    ///   expensive work to another queue.
    /// - Returns: The observation; it ends when its last reference is released.
    public func observeLoads(
        _ handler: @escaping @Sendable (LoadEvent) -> Void
    ) -> LoadObservation {
        observers.add(handler)
    }

    /// Reports the steps that a load would take now, with reasons, without starting it.
    ///
    /// Extends no expiration and reads no cached file; the disk cache is consulted through its
    /// index in memory. May open the folders of the caches, on the calling thread.
    ///
    /// - Parameters:
    ///   - source: The source that would be loaded.
    ///   - options: The options of the load.
    /// - Returns: The state of each cache layer, and where the image would come from.
    public func explain(
        _ source: Source,
        options: KingfisherOptionsInfo? = nil
    ) -> LoadExplanation {
        let request = request(source, KingfisherParsedOptionsInfo(resolved(options)))
        request.targetCache.diskStorage.open()
        request.originalCache.diskStorage.open()
        return request.explanation
    }

    /// Reports the steps that a load of a resource would take now; see ``explain(_:options:)-(Source,_)``.
    public func explain(
        _ resource: any Resource,
        options: KingfisherOptionsInfo? = nil
    ) -> LoadExplanation {
        explain(resource.convertToSource(), options: options)
    }
}

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
        observation.change { $0 = nil }
    }

    /// The recorded events in the Trace Event Format.
    ///
    /// Source: "Trace Event Format", the Chromium project: duration events (`B`, `E`), instant
    /// events (`i`) and metadata events (`M`) that name the rows. Times are in microseconds. User
    /// names, passwords and queries are removed from URLs.
    ///
    /// - Returns: A JSON object.
    /// - Throws: Any error of the JSON encoder.
    public func chromeTrace() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(ChromeTrace(recorded))
    }
}
