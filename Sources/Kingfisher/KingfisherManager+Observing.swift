import Foundation

extension KingfisherManager {
    /// Calls a closure for everything that happens in this manager's loads.
    ///
    /// Loads that run already are not reported. While nobody observes, an event costs one atomic
    /// load.
    ///
    /// - Parameter handler: Called on the thread where the event arose, in the order of one load's
    ///   events; hand heavy work on.
    /// - Returns: The observation, which ends with its last reference.
    public func observeLoads(
        _ handler: @escaping @Sendable (LoadEvent) -> Void
    ) -> LoadObservation {
        observers.add(handler)
    }

    /// Tells what a load would do now, and why, without doing it.
    ///
    /// Prolongs nothing and touches no disk.
    ///
    /// - Parameters:
    ///   - source: What would be loaded.
    ///   - options: As for the load.
    /// - Returns: What each layer says, and where the image would come from.
    public func explain(
        _ source: Source,
        options: KingfisherOptionsInfo? = nil
    ) -> LoadExplanation {
        request(source, KingfisherParsedOptionsInfo(resolved(options))).explanation
    }

    /// Tells what a load of a resource would do now, and why, without doing it.
    public func explain(
        _ resource: any Resource,
        options: KingfisherOptionsInfo? = nil
    ) -> LoadExplanation {
        explain(resource.convertToSource(), options: options)
    }
}
