public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ImageDownloader {
    /// Downloads the bytes of a URL for one caller; the transfer may be shared with other callers.
    ///
    /// Runs on the calling thread until the transfer has started, unless the request modifier is
    /// asynchronous.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: The request modifier, redirect handler and priority are used.
    ///   - conditional: The request and the condition determined by HTTP caching, if any; a 304 is
    ///     then not an error.
    ///   - epoch: Only downloads of the same epoch are joined; see ``RemovalMark``.
    ///   - task: The download is attached to it.
    ///   - progress: Called with received and expected bytes, if the length is known.
    ///   - chunk: Called after each piece of the body.
    ///   - attachesLate: Whether to join a finished download whose bytes other callers still
    ///     process.
    ///   - isStored: Called before a transfer is started; whether another load has stored the image
    ///     since the caches were consulted.
    /// - Returns: The bytes, as returned by the delegate.
    /// - Throws: ``KingfisherError``, or ``AlreadyCached``.
    func fetch(
        _ url: URL,
        options: KingfisherParsedOptionsInfo,
        conditional: ConditionalRequest? = nil,
        epoch: Int = 0,
        task: DownloadTask,
        progress: (@Sendable (Int64, Int64) -> Void)?,
        chunk: (@Sendable () -> Void)? = nil,
        attachesLate: Bool = false,
        isStored: (@Sendable () -> Bool)? = nil
    ) async throws -> FetchedData {
        let request =
            if let prepared = conditional?.request {
                prepared
            } else {
                try await request(for: url, options: options)
            }
        do {
            try Task.checkCancellation()
            try checkNetwork(for: request, options)
            let parameters = FetchParameters(
                request: request,
                decoding: DecodeRequest(options),
                conditional: conditional,
                epoch: epoch,
                attachesLate: attachesLate,
                isStored: isStored
            )
            return try await download(parameters, task, Self.report(progress, chunk))
        } catch let error as AlreadyCached {
            throw error
        } catch {
            throw KingfisherError(downloading: error, task: task)
        }
    }

    /// The request for a URL, after the request modifier.
    @inline(never)
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
        // A type that conforms to both protocols is called synchronously, which stays on this
        // thread.
        guard let modifier = modifier as? any ImageDownloadRequestModifier else {
            return await modifier.modified(for: request)
        }
        let modify: (URLRequest) -> URLRequest? = modifier.modified(for:)
        return modify(request)
    }

    /// The arguments of one fetch; a class, because it is kept while the download runs.
    private final class FetchParameters: Sendable {
        let request: URLRequest
        /// What the caller makes of the bytes.
        let decoding: DecodeRequest
        let conditional: ConditionalRequest?
        let epoch: Int
        let attachesLate: Bool
        let isStored: (@Sendable () -> Bool)?
        /// The key of the image, if it is not the URL: requests that differ in the ignored parts of
        /// their URLs share one download.
        let name: String?

        var options: KingfisherParsedOptionsInfo { decoding.options }

        init(
            request: URLRequest,
            decoding: DecodeRequest,
            conditional: ConditionalRequest?,
            epoch: Int,
            attachesLate: Bool,
            isStored: (@Sendable () -> Bool)?
        ) {
            self.request = request
            self.decoding = decoding
            self.conditional = conditional
            self.epoch = epoch
            self.attachesLate = attachesLate
            self.isStored = isStored
            let url = request.url
            let key = decoding.options.cacheKeyRule.flatMap { rule in url.map(rule.key) }
            name = key == url?.cacheKey ? nil : key
        }

        /// The parameters of a download that is shared only with requests for the same URL.
        init(unnamed other: FetchParameters) {
            request = other.request
            decoding = other.decoding
            conditional = other.conditional
            epoch = other.epoch
            attachesLate = other.attachesLate
            isStored = other.isStored
            name = nil
        }
    }

    /// Waits for the bytes of a download that is joined or started.
    @inline(never)
    private func download(
        _ parameters: FetchParameters,
        _ task: DownloadTask,
        _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws -> FetchedData {
        let latch = CancellationLatch()
        let joined = Mutex<DownloadToken<SessionDataTask>?>(nil)
        let isStored = Mutex(false)
        let interest = parameters.options.interest
        // The task has the priority of an earlier attempt, if there was one; an interest may have
        // changed since.
        let priority =
            (interest == nil ? task.ownPriority : nil) ?? self.priority(parameters.options)
        let follower = interest?.follow { task.priority = $0 }
        defer { if let follower { interest?.unfollow(follower) } }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let caller = DownloadCaller(
                    priority: priority,
                    keepsBytes: true,
                    progress: progress,
                    finished: { continuation.resume(returning: $0) }
                )
                let token = join(parameters, caller)
                joined.withLock { $0 = token }
                if token.isCreator, parameters.isStored?() == true {
                    isStored.withLock { $0 = true }
                    token.leave()
                    // Other callers may have joined and wait for the start.
                    if !token.download.hasEnded { start(token, parameters) }
                    return
                }
                let session = token.download.attachment
                // Other requests do not determine how the bytes are decoded.
                let encoded = parameters.decoding.takesBitmap ? session.encoded : nil
                encoded?.expect(parameters.decoding, from: token.number)
                task.attach(session, token: token.number, priority: priority)
                parameters.options.requestModifier?.onDownloadTaskStarted?(task)
                if token.isCreator { start(token, parameters) }
                latch.onCancel {
                    encoded?.withdraw(token.number)
                    token.leave()
                }
            }
        } onCancel: {
            latch.cancel()
        }
        if isStored.withLock({ $0 }) { throw AlreadyCached() }
        guard let token = joined.withLock({ $0 }) else { throw CancellationError() }
        parameters.conditional?.chain.note(token.download)
        switch result {
        case .success(let body): return FetchedData(body, of: token, parameters.decoding)
        case .failure(.cancelled): throw CancellationError()
        case .failure(.rejected) where !token.isCreator && parameters.name != nil:
            // The signature of the other request may have expired.
            return try await download(FetchParameters(unnamed: parameters), task, progress)
        case .failure(let error): throw error
        }
    }

    /// Joins the download of an equal request, or creates one.
    private func join(
        _ parameters: FetchParameters,
        _ caller: DownloadCaller
    ) -> DownloadToken<SessionDataTask> {
        downloads.join(
            parameters.request,
            name: parameters.name,
            settings: settings(for: parameters.request, parameters.options),
            owner: RequestOwner(parameters.options.redirectHandler),
            epoch: parameters.epoch,
            asked: parameters.conditional?.asked,
            condition: parameters.conditional?.condition,
            hooks: hooks(
                redirectHandler: parameters.options.redirectHandler,
                condition: parameters.conditional?.condition
            ),
            partials: partials,
            mayJoinFinished: parameters.attachesLate,
            caller: caller
        )
    }

    private func start(_ token: DownloadToken<SessionDataTask>, _ parameters: FetchParameters) {
        if let url = parameters.request.url {
            (delegate ?? self)
                .imageDownloader(self, willDownloadImageForURL: url, with: parameters.request)
        }
        token.download.start()
    }

    /// Reports to `progress` if the length is known, and to `chunk` for each piece.
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

    /// Throws if the network is metered and the request must not use a metered network.
    private func checkNetwork(
        for request: URLRequest,
        _ options: KingfisherParsedOptionsInfo
    ) throws(TransferError) {
        guard options.lowDataModeSource != nil, let url = request.url,
            isNetworkConstrained?() ?? networkMeter.isMetered
        else { return }
        throw .rejected(reason: ConstrainedNetworkError(), url: url)
    }

    /// The value of a header field as sent, including the downloader's additional headers.
    func fieldSent(_ name: String, with request: URLRequest?) -> String? {
        if let value = request?.value(forHTTPHeaderField: name) { return value }
        let state = snapshot()
        let additional = (state.configuration?.httpAdditionalHeaders ?? [:]).compactMap {
            name,
            value in (name as? String).map { ($0, "\(value)") }
        }
        return (additional + state.transferSettings.extraHeaders.map { ($0.key, $0.value) })
            .first { $0.0.lowercased() == name.lowercased() }?.1
    }

    /// The priority of the options, or that of ``transferSettings`` if they have the default.
    private func priority(_ options: KingfisherParsedOptionsInfo) -> Float {
        if let interest = options.interest { return interest.priority }
        let chosen = options.downloadPriority
        return chosen == TransferSettings.defaultPriority ? transferSettings.priority : chosen
    }

    /// The settings for sending a request.
    func settings(
        for request: URLRequest,
        _ options: KingfisherParsedOptionsInfo
    ) -> TransferSettings {
        let state = snapshot()
        var settings = state.transferSettings
        let usual = TransferSettings()
        let timeout = Duration(timeoutInterval: request.timeoutInterval)
        let isModified = request.timeoutInterval != state.timeout
        if isModified || settings.connectTimeout == usual.connectTimeout {
            settings.connectTimeout = timeout
        }
        if isModified || settings.idleTimeout == usual.idleTimeout {
            settings.idleTimeout = timeout
        }
        settings.priority = priority(options)
        if options.lowDataModeSource != nil { settings.allowsConstrainedNetwork = false }
        if let hosts = state.trustedHosts {
            settings.trustedHosts.formUnion(hosts.map { $0.lowercased() })
        }
        if let responder = state.responder.object, responder !== self {
            settings.trustOwner = state.trustOwner
        }
        settings.maxConnectionsPerHost =
            state.configuration?.changedConnectionsPerHost ?? settings.maxConnectionsPerHost
        settings.totalTimeout = state.configuration?.totalTimeout ?? settings.totalTimeout
        for (name, value) in state.configuration?.httpAdditionalHeaders ?? [:] {
            if let name = name as? String { settings.extraHeaders[name] = "\(value)" }
        }
        return settings
    }

    /// Cancels all downloads; each caller receives `taskCancelled`.
    public func cancelAll() {
        downloads.cancelAll()
    }

    /// Cancels the downloads of one URL; each caller receives `taskCancelled`.
    public func cancel(url: URL) {
        downloads.cancel(url: url)
    }
}

/// Nothing was downloaded, because another load has stored the image since the caches were
/// consulted.
struct AlreadyCached: Error {}

extension Duration {
    /// A time-out of Foundation; about 30 years replace NaN and values above the range of a duration.
    init(timeoutInterval seconds: TimeInterval) {
        self = .seconds(seconds < 1e9 ? max(0.001, seconds) : 1e9)
    }
}
