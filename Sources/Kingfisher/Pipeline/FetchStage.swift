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
        let context = ProviderContext(downloader: request.downloader, options: request.options)
        let used = (provider as? any PreparedDataProvider)?.prepared(for: context)
        let data = try await Self.data(of: used ?? provider)
        return .fetched(FetchedData(data, DecodeRequest(request.options)))
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

    /// Loads the data of a provider; cancellation ends the wait immediately, even if the provider
    /// continues.
    @inline(never)
    static func data(of provider: any ImageDataProvider) async throws -> Data {
        do {
            return try await Job.run { _ in try await provider.data() }
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
