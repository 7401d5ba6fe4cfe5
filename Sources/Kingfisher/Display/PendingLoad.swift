package import Foundation

/// A load of a view, which may wait until the size of the view, or its visibility, is known.
@MainActor
package final class PendingLoad {
    package let source: Source
    let placeholder: KFCrossPlatformImage?
    package let options: KingfisherParsedOptionsInfo
    package let manager: KingfisherManager
    let progress: DownloadProgressBlock?
    /// The caller's handle; linked to the actual task when the load starts.
    let handle = DownloadTask()
    /// Whether the load restores an image that was shown before; it has no completion.
    let isRepeated: Bool
    /// Whether the load was cancelled because the view left the screen, and waits again.
    var isSuspended = false
    /// Why the load has failed.
    package internal(set) var error: KingfisherError?
    /// The size in logical pixels that the image is decoded to; nil for its own size.
    var decodedFor: CGSize?
    /// Whether the image is decoded before the view's size is known, and may be much too large.
    var isGuessed = false
    /// The size of the file in pixels; nil until it is read.
    package internal(set) var fileSize: CGSize?
    /// Whether the size of the file was requested.
    var isFileSizeRequested = false
    private var completion: ImageCompletion?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(
        source: Source,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        manager: KingfisherManager,
        progress: DownloadProgressBlock? = nil,
        completion: ImageCompletion? = nil,
        isRepeated: Bool = false
    ) {
        self.isRepeated = isRepeated
        self.source = source
        self.placeholder = placeholder
        self.options = options
        self.manager = manager
        self.progress = progress
        self.completion = completion
    }

    /// A copy that loads the image again, without a completion.
    func again() -> PendingLoad {
        let load = PendingLoad(
            source: source,
            placeholder: placeholder,
            options: options,
            manager: manager,
            isRepeated: true
        )
        load.fileSize = fileSize
        return load
    }

    /// Whether the image has too few pixels for a view, or far too many.
    func needsReload(_ image: KFCrossPlatformImage, in box: DecodeBox, density: Double) -> Bool {
        if isGuessed, box.factor(of: image.size) < 2 / 3 { return true }
        guard let decodedFor else { return false }
        // An image with fewer pixels than requested has no more detail. Rounding may lose one.
        let isWide = image.size.width + 1 >= decodedFor.width
        let isHigh = image.size.height + 1 >= decodedFor.height
        guard box.covers ? isWide && isHigh : isWide || isHigh else { return false }
        return box.size.width > decodedFor.width || box.size.height > decodedFor.height
            || CGFloat(density) > image.scale
    }

    /// Reads the size of the file in pixels; nil if that fails.
    ///
    /// - Parameters:
    ///   - result: The result of the load; the bytes of a download are read without the cache.
    ///   - onlyFromCache: Whether a file that the cache does not have is not loaded from the source.
    /// - Returns: The size.
    func readFileSize(
        of result: RetrieveImageResult?,
        onlyFromCache: Bool
    ) async -> CGSize? {
        if let data = result?.loadedData, let size = await Self.size(of: data) { return size }
        var options = options
        options.forceRefresh = false
        options.onlyFromCache = options.onlyFromCache || onlyFromCache
        // Without the size, that of the decoded image is used.
        let file = try? await manager.retrieveOriginalData(with: source, parsedOptions: options)
        guard let file else { return nil }
        return await Self.size(of: file.data)
    }

    @concurrent
    nonisolated private static func size(of data: Data) async -> CGSize? {
        // A file that cannot be read has no size.
        try? ImageFileInfo(data: data).size
    }

    /// Calls the completion; later calls have no effect.
    func finish(_ result: Result<RetrieveImageResult, KingfisherError>) {
        let completion = completion
        self.completion = nil
        completion?(result)
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Waits until the completion has been called.
    func waitUntilFinished() async { await withCheckedContinuation { waiters.append($0) } }

    /// Reports that the load was cancelled while it waited.
    func cancel() { finish(.failure(.cancelled(handle))) }

    /// Reports that another load has replaced this one.
    func supersede() {
        let reason = KingfisherError.ImageSettingErrorReason.notCurrentSourceTask(
            result: nil,
            error: nil,
            source: source
        )
        finish(.failure(.imageSettingError(reason: reason)))
    }
}
