extension LoadRequest {
    /// The expected course of this request.
    var explanation: LoadExplanation {
        let plan = LookupPlan(self)
        let memory = plan.missReason(.memory)
        let disk = plan.missReason(.disk)
        let original = plan.originalMissReason
        return LoadExplanation(
            key: key,
            processor: identifier,
            memory: memory,
            disk: disk,
            original: original,
            sharedStorage: memory == nil || disk == nil ? nil : sharedStorage(plan),
            outcome: outcome(memory: memory, disk: disk, original: original),
            steps: steps
        )
    }

    private func sharedStorage(_ plan: LookupPlan) -> LoadExplanation.SharedStorage? {
        let target = plan.stored
        guard looksUp, plan.places.contains(.shared), target.entry.isShareable,
            let level = target.cache.sharing
        else { return nil }
        return level.isPaused ? .paused : .asked
    }

    /// The processors, and where each of them runs if bytes have to be decoded.
    private var steps: [LoadExplanation.Step] {
        let all = (options.processor as? ProcessorChain)?.steps ?? [options.processor]
        let known = options.isolated ? all.count - ProcessorCut(options.processor).here.count : 0
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
