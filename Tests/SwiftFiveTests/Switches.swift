import Foundation
import Kingfisher

// A `switch` over every enum of the original, as programs write it. One without `default` compiles
// while the enum has no further cases.
//
// The options, transitions and formats of images have cases of this library's own.

func isKnown(_ value: KingfisherOptionsInfoItem) -> Bool {
    switch value {
    case .targetCache, .originalCache, .downloader, .transition, .downloadPriority, .forceRefresh,
        .fromMemoryCacheOrRefresh, .forceTransition, .cacheMemoryOnly, .waitForCache,
        .onlyFromCache, .backgroundDecode, .callbackQueue, .scaleFactor, .preloadAllAnimationData,
        .requestModifier, .redirectHandler, .processor, .cacheSerializer, .imageModifier,
        .keepCurrentImageWhileLoading, .onlyLoadFirstFrame, .cacheOriginalImage, .onFailureImage,
        .alsoPrefetchToMemory, .loadDiskFileSynchronously, .asyncCacheTypeCheck,
        .diskStoreWriteOptions, .memoryCacheExpiration, .memoryCacheAccessExtendingExpiration,
        .diskCacheExpiration, .diskCacheAccessExtendingExpiration, .processingQueue,
        .progressiveJPEG, .alternativeSources, .retryStrategy, .lowDataMode,
        .forcedCacheFileExtension:
        true
    default: false
    }
}

func isKnown(_ value: Source) -> Bool {
    switch value {
    case .network, .provider: true
    }
}

func isKnown(_ value: ThumbnailImageDataProvider.ThumbnailImageDataProviderError) -> Bool {
    switch value {
    case .invalidImageSource, .invalidThumbnail, .writeDataError, .finalizeDataError: true
    }
}

func isKnown(_ value: AVAssetImageDataProvider.AVAssetImageDataProviderError) -> Bool {
    switch value {
    case .userCancelled, .invalidImage: true
    }
}

func isKnown(_ value: LivePhotoResource.FileType) -> Bool {
    switch value {
    case .heic, .mov, .other: true
    }
}

func isKnown(_ value: StorageExpiration) -> Bool {
    switch value {
    case .never, .seconds, .days, .date, .expired: true
    }
}

func isKnown(_ value: ExpirationExtending) -> Bool {
    switch value {
    case .none, .cacheTime, .expirationTime: true
    }
}

func isKnown(_ value: CacheType) -> Bool {
    switch value {
    case .none, .memory, .disk: true
    }
}

func isKnown(_ value: ImageCacheResult) -> Bool {
    switch value {
    case .disk, .memory, .none: true
    }
}

func isKnown(_ value: RetryDecision) -> Bool {
    switch value {
    case .retry, .stop: true
    }
}

func isKnown(_ value: DelayRetryStrategy.Interval) -> Bool {
    switch value {
    case .seconds, .accumulated, .custom: true
    }
}

func isKnown(_ value: ImageFormat) -> Bool {
    switch value {
    case .unknown, .PNG, .JPEG, .GIF: true
    default: false
    }
}

func isKnown(_ value: ImageFormat.JPEGMarker) -> Bool {
    switch value {
    case .SOF0, .SOF2, .DHT, .DQT, .DRI, .SOS, .RSTn, .APPn, .COM, .EOI: true
    }
}

func isKnown(_ value: ImageProgressive.UpdatingStrategy) -> Bool {
    switch value {
    case .`default`, .keepCurrent, .replace: true
    }
}

func isKnown(_ value: ImageProcessItem) -> Bool {
    switch value {
    case .image, .data: true
    }
}

func isKnown(_ value: Radius) -> Bool {
    switch value {
    case .widthFraction, .heightFraction, .point: true
    }
}

func isKnown(_ value: ContentMode) -> Bool {
    switch value {
    case .none, .aspectFit, .aspectFill: true
    }
}

func isKnown(_ value: IndicatorType) -> Bool {
    switch value {
    case .none, .activity, .image, .custom: true
    }
}

func isKnown(_ value: IndicatorSizeStrategy) -> Bool {
    switch value {
    case .intrinsicSize, .full, .size: true
    }
}

func isKnown(_ value: ImageTransition) -> Bool {
    switch value {
    case .none, .fade, .flipFromLeft, .flipFromRight, .flipFromTop, .flipFromBottom: true
    default: false
    }
}

func isKnown(_ value: AnimatedImageView.RepeatCount) -> Bool {
    switch value {
    case .once, .finite, .infinite: true
    }
}

func isKnown(_ value: KingfisherError) -> Bool {
    switch value {
    case .requestError, .responseError, .cacheError, .processorError, .imageSettingError: true
    }
}

func isKnown(_ value: KingfisherError.RequestErrorReason) -> Bool {
    switch value {
    case .emptyRequest, .invalidURL, .taskCancelled, .livePhotoTaskCancelled,
        .asyncTaskContextCancelled, .dataProviderCancelled:
        true
    }
}

func isKnown(_ value: KingfisherError.ResponseErrorReason) -> Bool {
    switch value {
    case .invalidURLResponse, .invalidHTTPStatusCode, .URLSessionError, .dataModifyingFailed,
        .noURLResponse, .cancelledByDelegate:
        true
    }
}

func isKnown(_ value: KingfisherError.CacheErrorReason) -> Bool {
    switch value {
    case .fileEnumeratorCreationFailed, .invalidFileEnumeratorContent, .invalidURLResource,
        .cannotLoadDataFromDisk, .cannotCreateDirectory, .imageNotExisting, .cannotConvertToData,
        .cannotSerializeImage, .cannotCreateCacheFile, .cannotSetCacheFileAttribute,
        .diskStorageIsNotReady, .missingLivePhotoResourceOnDisk:
        true
    }
}

func isKnown(_ value: KingfisherError.ProcessorErrorReason) -> Bool {
    switch value {
    case .processingFailed: true
    }
}

func isKnown(_ value: KingfisherError.ImageSettingErrorReason) -> Bool {
    switch value {
    case .emptySource, .notCurrentSourceTask, .dataProviderError, .alternativeSourcesExhausted,
        .notCurrentLivePhotoSourceTask, .livePhotoResultError:
        true
    }
}

func isKnown(_ value: CallbackQueue) -> Bool {
    switch value {
    case .mainAsync, .mainCurrentOrAsync, .untouch, .dispatch, .operationQueue: true
    }
}
