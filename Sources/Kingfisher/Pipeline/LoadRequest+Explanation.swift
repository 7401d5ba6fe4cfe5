extension LoadRequest {
    /// The expected course of this request.
    var explanation: LoadExplanation {
        let readsOriginal = isForBytes && storesOriginal
        let memory =
            looksUp ? targetCache.memoryMissReason(key: key, options: options) : .notAsked
        let disk =
            looksUp && acceptsDisk && (readsOriginal || !isForBytes)
            ? (readsOriginal ? originalCache : targetCache)
                .diskMissReason(key: key, options: readsOriginal ? originalOptions : options)
            : .notAsked
        let original = originalMissReason
        return LoadExplanation(
            key: key,
            processor: identifier,
            memory: memory,
            disk: disk,
            original: original,
            sharedStorage: memory == nil || disk == nil ? nil : sharedStorage,
            outcome: outcome(memory: memory, disk: disk, original: original),
            steps: steps
        )
    }

    private var sharedStorage: LoadExplanation.SharedStorage? {
        guard looksUp, acceptsDisk, entry.isShareable, let level = targetCache.sharing else {
            return nil
        }
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

    private var originalMissReason: CacheMissReason? {
        guard looksUp, hasSeparateOriginal else { return .notAsked }
        let memory = originalCache.memoryMissReason(key: key, options: originalOptions)
        guard memory != nil, acceptsDisk else { return memory }
        return originalCache.diskMissReason(key: key, options: originalOptions)
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
