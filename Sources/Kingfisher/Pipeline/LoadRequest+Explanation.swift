extension LoadRequest {
    /// The expected course of this request.
    var explanation: LoadExplanation {
        var (memory, disk): (CacheMissReason?, CacheMissReason?) = (.notAsked, .notAsked)
        var original: CacheMissReason? = .notAsked
        var shared: CacheTarget?
        for place in options.forceRefresh ? [] : places {
            switch (place.layer, place.isOriginal && !isForBytes) {
            case (.memory, false): memory = missReason(at: place)
            case (.disk, false): disk = missReason(at: place)
            case (.shared, false): shared = target(of: place)
            case (.shared, true): break
            case (_, true): original = original == nil ? nil : missReason(at: place)
            }
        }
        return LoadExplanation(
            key: key,
            processor: identifier,
            memory: memory,
            disk: disk,
            original: original,
            sharedStorage: memory == nil || disk == nil ? nil : shared?.sharedStorage,
            outcome: outcome(memory: memory, disk: disk, original: original),
            steps: steps
        )
    }

    /// The processors, and where each of them runs if bytes have to be decoded.
    private var steps: [LoadExplanation.Step] {
        let all = options.processor.steps
        let known = options.isolated ? all.count - ProcessorCut(options.processor).local.count : 0
        return all.enumerated().map { index, step in
            LoadExplanation.Step(
                processor: step.identifier,
                place: index < known ? .workerProcess : .thisProcess
            )
        }
    }

    private func outcome(
        memory: CacheMissReason?,
        disk: CacheMissReason?,
        original: CacheMissReason?
    ) -> LoadExplanation.Outcome {
        guard allowsSource else { return .fails }
        if memory == nil { return .cache(.memory) }
        if disk == nil { return .cache(.disk) }
        if original == nil { return .original }
        if options.onlyFromCache, looksUp { return .fails }
        return switch source {
        case .network: .download
        case .provider: .provider
        }
    }
}
