import Foundation

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
    /// index in memory.
    ///
    /// - Parameters:
    ///   - source: The source that would be loaded.
    ///   - options: The options of the load.
    /// - Returns: The state of each cache layer, and where the image would come from.
    public func explain(
        _ source: Source,
        options: KingfisherOptionsInfo? = nil
    ) -> LoadExplanation {
        request(source, KingfisherParsedOptionsInfo(resolved(options))).explanation
    }

    /// Reports the steps that a load of a resource would take now; see ``explain(_:options:)-(Source,_)``.
    public func explain(
        _ resource: any Resource,
        options: KingfisherOptionsInfo? = nil
    ) -> LoadExplanation {
        explain(resource.convertToSource(), options: options)
    }
}
