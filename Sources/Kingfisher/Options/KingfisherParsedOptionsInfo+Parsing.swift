extension ParsedValues {
    /// Applies one item to the corresponding property.
    ///
    /// Flags can only be switched on. The switch is split into three functions to keep each short.
    mutating func apply(_ item: KingfisherOptionsInfoItem) {
        if applyFlag(item) || applyCollaborator(item) { return }
        applyValue(item)
    }

    private mutating func applyFlag(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .forceRefresh: forceRefresh = true
        case .fromMemoryCacheOrRefresh: fromMemoryCacheOrRefresh = true
        case .forceTransition: forceTransition = true
        case .cacheMemoryOnly: cacheMemoryOnly = true
        case .waitForCache: waitForCache = true
        case .onlyFromCache: onlyFromCache = true
        case .backgroundDecode: backgroundDecode = true
        case .preloadAllAnimationData: preloadAllAnimationData = true
        case .keepCurrentImageWhileLoading: keepCurrentImageWhileLoading = true
        case .cancelWhenSuperseded: cancelWhenSuperseded = true
        case .onlyLoadFirstFrame: onlyLoadFirstFrame = true
        case .cacheOriginalImage: cacheOriginalImage = true
        case .alsoPrefetchToMemory: alsoPrefetchToMemory = true
        case .loadDiskFileSynchronously: loadDiskFileSynchronously = true
        case .asyncCacheTypeCheck: asyncCacheTypeCheck = true
        case .httpCaching: httpCaching = true
        case .isolated: isolated = true
        case .acceptsTruncatedFiles: acceptsTruncatedFiles = true
        default: return false
        }
        return true
    }

    private mutating func applyCollaborator(_ item: KingfisherOptionsInfoItem) -> Bool {
        switch item {
        case .targetCache(let cache): targetCache = cache
        case .originalCache(let cache): originalCache = cache
        case .downloader(let downloader): self.downloader = downloader
        case .requestModifier(let modifier): requestModifier = modifier
        case .redirectHandler(let handler): redirectHandler = handler
        case .processor(let processor): self.processor = processor
        case .cacheSerializer(let serializer): cacheSerializer = serializer
        case .imageModifier(let modifier): imageModifier = modifier
        case .retryStrategy(let strategy): retryStrategy = strategy
        case .callbackQueue(let queue): callbackQueue = queue
        case .processingQueue(let queue): processingQueue = queue
        default: return false
        }
        return true
    }

    private mutating func applyValue(_ item: KingfisherOptionsInfoItem) {
        switch item {
        case .transition(let transition): self.transition = transition
        case .downloadPriority(let priority): downloadPriority = priority
        case .interest(let interest): self.interest = interest
        case .scaleFactor(let factor): scaleFactor = factor
        case .onFailureImage(let image): onFailureImage = .some(image)
        case .diskStoreWriteOptions(let options): diskStoreWriteOptions = options
        case .memoryCacheExpiration(let expiration): memoryCacheExpiration = expiration
        case .memoryCacheAccessExtendingExpiration(let extending):
            memoryCacheAccessExtendingExpiration = extending
        case .diskCacheExpiration(let expiration): diskCacheExpiration = expiration
        case .diskCacheAccessExtendingExpiration(let extending):
            diskCacheAccessExtendingExpiration = extending
        case .progressiveJPEG(let progressive): progressiveJPEG = progressive
        case .alternativeSources(let sources): alternativeSources = sources
        case .resultLimits(let limits): resultLimits = limits
        case .allowedSources(let policy): allowedSources = policy
        case .lowDataMode(let source): lowDataModeSource = source
        case .cacheKeyRule(let rule): cacheKeyRule = rule
        case .forcedCacheFileExtension(let fileExtension): forcedExtension = fileExtension
        default: preconditionFailure("the option is not handled: \(item)")
        }
    }
}
