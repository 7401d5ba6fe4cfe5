import Foundation

/// Loads the bytes of a source, from the network or a provider.
struct FetchStage {
    let request: LoadRequest
    let events: LoadEvents
    let task: DownloadTask

    func run() async throws -> Material {
        switch request.source {
        case .network(let resource):
            return try await download(resource.downloadURL)
        case .provider(let provider):
            return try await load(provider)
        }
    }

    @inline(never)
    private func load(_ provider: any ImageDataProvider) async throws -> Material {
        task.attachProvider()
        guard let prepared = provider as? any PreparedDataProvider else {
            let data = try await Self.loading(provider) { try await provider.data() }
            return .fetched(FetchedData(data, DecodeRequest(request.options)))
        }
        return try await Self.loading(provider) { [request] in
            let context = ProviderContext(downloader: request.downloader, options: request.options)
            return try await request.material(of: prepared.content(for: context))
        }
    }

    @inline(never)
    private func download(_ url: URL) async throws -> Material {
        guard request.downloader.isOverridden else {
            let updates = ProgressiveUpdates(request, task: task, sink: events.partial)
            defer { updates?.end() }
            let isStored: @Sendable () -> Bool = { [request] in request.isStored }
            let fetched = try await request.downloader.fetch(
                url,
                options: request.options,
                conditional: request.conditional,
                epoch: request.removals.original.epoch,
                task: task,
                progress: events.progress?.report,
                chunk: updates?.wake,
                // A forced refresh must not join a download that started earlier.
                attachesLate: request.looksUp || request.mayJoinFinished,
                isStored: request.mayJoinFinished ? isStored : nil
            )
            return .fetched(fetched)
        }
        return .downloaded(
            try await request.downloader.overriddenDownload(
                url,
                options: request.options,
                task: task,
                progress: events.progress?.report
            )
        )
    }

    /// Runs the work of a provider; cancellation ends the wait immediately, even if the provider
    /// continues.
    @inline(never)
    static func loading<Value: Sendable>(
        _ provider: any ImageDataProvider,
        _ load: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await Job.run { _ in try await load() }
        } catch {
            if error is CancellationError || Task.isCancelled {
                throw KingfisherError.requestError(
                    reason: .dataProviderCancelled(provider: provider)
                )
            }
            throw KingfisherError.imageSettingError(
                reason: .dataProviderError(provider: provider, error: error)
            )
        }
    }
}

extension LoadRequest {
    /// The pixels of a provider, or a file if the processor takes bytes.
    ///
    /// A file of the pixels is made if the disk keeps it unmodified.
    fileprivate func material(of content: ProvidedContent) async throws -> Material {
        let decoding = DecodeRequest(options.forStills)
        let isStored = identifier.isEmpty ? !options.cacheMemoryOnly : storesOriginal
        if case .pixels(let bitmap) = content, decoding.takesBitmap {
            let file =
                isStored ? try await content.file(by: processing, priority: options.priority) : nil
            return .drawn(bitmap, decoding, file)
        }
        let file = try await content.file(by: processing, priority: options.priority)
        return .fetched(FetchedData(file, DecodeRequest(options)))
    }
}

extension KingfisherError {
    /// Converts the error of a stage.
    ///
    /// - Parameters:
    ///   - error: The error of a pipeline stage.
    ///   - source: The source of the attempt.
    ///   - task: The task of the attempt.
    init(loading error: any Error, of source: Source, task: DownloadTask) {
        if let error = error as? KingfisherError {
            self = error
            return
        }
        switch source {
        case .provider(let provider) where error is CancellationError:
            self = .requestError(reason: .dataProviderCancelled(provider: provider))
        case .provider(let provider):
            self = .imageSettingError(reason: .dataProviderError(provider: provider, error: error))
        case .network where error is CancellationError:
            self = .cancelled(task)
        case .network:
            self = .responseError(reason: .URLSessionError(error: URLError.wrapping(error)))
        }
    }
}
