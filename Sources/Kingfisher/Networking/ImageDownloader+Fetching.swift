public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ImageDownloader {
    /// Downloads the bytes of a URL for one caller, who may share the transfer with others.
    ///
    /// Runs on the caller's thread until the transfer is under way, unless the modifier is
    /// asynchronous.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: Modifier, redirect handler and priority are used.
    ///   - condition: Header fields that ask whether a cached image is still fresh; with them 304 is
    ///     no error.
    ///   - task: Gets the download attached.
    ///   - progress: Received and expected bytes, when the length is known.
    ///   - chunk: Called after each piece of the body.
    ///   - attachesLate: Whether bytes that have just arrived for others will do, as long as these
    ///     still work on them.
    /// - Returns: The bytes, after the delegate's hook.
    /// - Throws: ``KingfisherError``.
    func fetch(
        _ url: URL,
        options: KingfisherParsedOptionsInfo,
        condition: [String: String] = [:],
        task: DownloadTask,
        progress: (@Sendable (Int64, Int64) -> Void)?,
        chunk: (@Sendable () -> Void)? = nil,
        attachesLate: Bool = false
    ) async throws -> FetchedData {
        var request = try await request(for: url, options: options)
        for (name, value) in condition {
            request.setValue(value, forHTTPHeaderField: name)
        }
        do {
            try Task.checkCancellation()
            try checkNetwork(for: request, options)
            let report = Self.report(progress, chunk)
            while true {
                let attached = attachesLate ? attach(request, options, task) : nil
                let membership: JobMembership
                if let attached {
                    membership = attached
                } else {
                    membership = try await transfer(
                        request,
                        options,
                        task,
                        report,
                        isConditional: !condition.isEmpty
                    )
                }
                // Nil when all others were done before this caller was counted: then it begins anew.
                if let outcome = await membership.task.outcome() {
                    return try outcome.get().with(membership)
                }
                try Task.checkCancellation()
            }
        } catch {
            throw KingfisherError(downloading: error, task: task)
        }
    }

    /// The request that the modifier makes of a URL.
    func request(
        for url: URL,
        options: KingfisherParsedOptionsInfo
    ) async throws(KingfisherError) -> URLRequest {
        var request = URLRequest(
            url: url,
            cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: downloadTimeout
        )
        if let modifier = options.requestModifier {
            guard let modified = await Self.modify(request, with: modifier) else {
                throw .requestError(reason: .emptyRequest)
            }
            request = modified
        }
        let target = request.url
        let scheme = target?.scheme?.lowercased()
        guard scheme == "http" || scheme == "https", target?.host?.isEmpty == false else {
            throw .requestError(reason: .invalidURL(request: request))
        }
        return request
    }

    private static func modify(
        _ request: URLRequest,
        with modifier: any AsyncImageDownloadRequestModifier
    ) async -> URLRequest? {
        // A type that is both is taken for the synchronous one, which stays on this thread.
        guard let modifier = modifier as? any ImageDownloadRequestModifier else {
            return await modifier.modified(for: request)
        }
        let modify: (URLRequest) -> URLRequest? = modifier.modified(for:)
        return modify(request)
    }

    /// Waits for the end of the transfer; the bytes are those of the session task's outcome.
    private func transfer(
        _ request: URLRequest,
        _ options: KingfisherParsedOptionsInfo,
        _ task: DownloadTask,
        _ progress: (@Sendable (TransferProgress) -> Void)?,
        isConditional: Bool
    ) async throws -> JobMembership {
        let latch = CancellationLatch()
        let joined = Mutex<JobMembership?>(nil)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let caller = DownloadCaller(
                    priority: options.downloadPriority,
                    progress: progress,
                    finished: { result in
                        latch.finish()
                        continuation.resume(returning: result)
                    }
                )
                let (ticket, membership) = join(
                    request,
                    options,
                    caller,
                    task,
                    isConditional: isConditional
                )
                joined.withLock { $0 = membership }
                latch.onCancel {
                    ticket.cancel()
                    membership.leave()
                }
            }
        } onCancel: {
            latch.cancel()
        }
        // The closure above has run, so there is one; whoever was cancelled has no use for it.
        guard let membership = joined.withLock({ $0 }) else { throw CancellationError() }
        if case .failure(.cancelled) = result { throw CancellationError() }
        return membership
    }

    /// Joins the download of an equal request, or starts one.
    private func join(
        _ request: URLRequest,
        _ options: KingfisherParsedOptionsInfo,
        _ caller: DownloadCaller,
        _ task: DownloadTask,
        isConditional: Bool
    ) -> (DownloadTicket, JobMembership) {
        let ticket = downloads.join(
            request,
            settings: settings(for: request, options),
            owner: RequestOwner(options.redirectHandler),
            hooks: hooks(
                redirectHandler: options.redirectHandler,
                isConditional: isConditional
            ),
            partials: partials,
            caller: caller
        )
        let membership = sessionTasks.task(for: ticket.download).enter(options)
        task.attach(membership.task, token: membership.token)
        options.requestModifier?.onDownloadTaskStarted?(task)
        if ticket.isCreator {
            if let url = request.url {
                (delegate ?? self)
                    .imageDownloader(self, willDownloadImageForURL: url, with: request)
            }
            ticket.download.start()
        }
        return (ticket, membership)
    }

    /// Attaches to the bytes of an equal request that others still work on; nil if there are none.
    private func attach(
        _ request: URLRequest,
        _ options: KingfisherParsedOptionsInfo,
        _ task: DownloadTask
    ) -> JobMembership? {
        let arrived = arrivedDownloads.task {
            RequestIdentity(
                request,
                settings: settings(for: request, options),
                owner: RequestOwner(options.redirectHandler)
            )
        }
        guard let membership = arrived?.enterIfInUse(options) else { return nil }
        task.attach(membership.task, token: membership.token)
        options.requestModifier?.onDownloadTaskStarted?(task)
        return membership
    }

    /// Reports a known length to the one, and each piece to the other.
    private static func report(
        _ progress: (@Sendable (Int64, Int64) -> Void)?,
        _ chunk: (@Sendable () -> Void)?
    ) -> (@Sendable (TransferProgress) -> Void)? {
        guard progress != nil || chunk != nil else { return nil }
        return { state in
            chunk?()
            guard let progress, let expected = state.expected else { return }
            progress(Int64(state.received), Int64(expected))
        }
    }

    /// Refuses a request that must not use a metered network, when the network is one.
    private func checkNetwork(
        for request: URLRequest,
        _ options: KingfisherParsedOptionsInfo
    ) throws(TransferError) {
        guard options.lowDataModeSource != nil, let url = request.url,
            isNetworkConstrained?() ?? networkMeter.isMetered
        else { return }
        throw .rejected(reason: ConstrainedNetworkError(), url: url)
    }

    /// What a request says in a field, the downloader's own fields included.
    func fieldSent(_ name: String, with request: URLRequest?) -> String? {
        if let value = request?.value(forHTTPHeaderField: name) { return value }
        let state = snapshot()
        let additional = (state.configuration.httpAdditionalHeaders ?? [:]).compactMap {
            name,
            value in (name as? String).map { ($0, "\(value)") }
        }
        return (additional + state.transferSettings.extraHeaders.map { ($0.key, $0.value) })
            .first { $0.0.lowercased() == name.lowercased() }?.1
    }

    private func settings(
        for request: URLRequest,
        _ options: KingfisherParsedOptionsInfo
    ) -> TransferSettings {
        let state = snapshot()
        var settings = state.transferSettings
        // 30 years stand for what is no number, or more than a duration can hold.
        let seconds = request.timeoutInterval
        let timeout = Duration.seconds(seconds < 1e9 ? max(0.001, seconds) : 1e9)
        settings.connectTimeout = timeout
        settings.idleTimeout = timeout
        settings.priority = options.downloadPriority
        if options.lowDataModeSource != nil { settings.allowsConstrainedNetwork = false }
        if let hosts = state.trustedHosts {
            settings.trustedHosts.formUnion(hosts.map { $0.lowercased() })
        }
        settings.maxConnectionsPerHost = state.configuration.httpMaximumConnectionsPerHost
        for (name, value) in state.configuration.httpAdditionalHeaders ?? [:] {
            if let name = name as? String { settings.extraHeaders[name] = "\(value)" }
        }
        return settings
    }

    /// Cancels every download; each caller gets `taskCancelled`.
    public func cancelAll() {
        downloads.cancelAll()
    }

    /// Cancels the downloads of one URL; each caller gets `taskCancelled`.
    public func cancel(url: URL) {
        downloads.cancel(url: url)
    }
}

extension KingfisherError {
    /// What a download threw, in the words that callers know.
    init(downloading error: any Error, task: DownloadTask) {
        switch error {
        case let error as KingfisherError: self = error
        case is CancellationError: self = .cancelled(task)
        default: self = .responseError(reason: .URLSessionError(error: URLError.wrapping(error)))
        }
    }

    /// The cancel of one caller's share of a download.
    static func cancelled(_ task: DownloadTask) -> KingfisherError {
        guard let sessionTask = task.sessionTask else {
            return .requestError(reason: .asyncTaskContextCancelled)
        }
        return .requestError(
            reason: .taskCancelled(task: sessionTask, token: task.cancelToken ?? 0)
        )
    }
}
