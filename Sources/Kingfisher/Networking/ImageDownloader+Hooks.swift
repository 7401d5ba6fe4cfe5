import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ImageDownloader {
    /// The hooks of a download: redirects, challenges, response and end.
    ///
    /// The hooks retain the downloader until the download has ended, so that the completion is
    /// always called.
    ///
    /// - Parameters:
    ///   - redirectHandler: Decides about redirects.
    ///   - condition: The condition that validates a cached image, if any. The library handles its
    ///     304 itself, without calling the delegate.
    /// - Returns: The hooks for one download.
    func hooks(
        redirectHandler: (any ImageDownloadRedirectHandler)?,
        condition: HTTPCondition? = nil
    ) -> DownloadHooks<SessionDataTask> {
        var hooks = DownloadHooks<SessionDataTask>()
        if let redirectHandler {
            hooks.redirect = { download, response, request, reply in
                let task = download.attachment
                Task {
                    let next = await redirectHandler.handleHTTPRedirection(
                        for: task,
                        response: response.httpURLResponse,
                        newRequest: request
                    )
                    reply(next)
                }
            }
        }
        hooks.challenge = { [self] download, challenge, reply in
            answer(challenge, of: download.attachment, reply: reply)
        }
        hooks.trust = { [self] _, trust, reply in answer(trust, reply: reply) }
        hooks.response = { [self] _, response, reply in
            if condition?.isConfirmed(by: response) == true { return reply(.allow) }
            check(response, reply: reply)
        }
        hooks.finished = { [self] download, result, reply in
            finish(download, result, condition, reply)
        }
        hooks.abandoned = { $0.attachment.forget() }
        return hooks
    }

    /// Checks the status, then asks the delegate.
    private func check(
        _ response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    ) {
        let delegate = WeakReference(self.delegate)
        let judge = self.delegate ?? self
        guard judge.isValidStatusCode(response.statusCode, for: self) else {
            let error = KingfisherError.responseError(
                reason: .invalidHTTPStatusCode(response: response.httpURLResponse)
            )
            return reply(.reject(error))
        }
        guard delegate.object != nil else { return reply(.allow) }
        Task { [self] in
            let answer = await (delegate.object as? any ImageDownloaderDelegate)?
                .imageDownloader(self, didReceive: response.httpURLResponse)
            guard answer == .cancel else { return reply(.allow) }
            let error = KingfisherError.responseError(
                reason: .cancelledByDelegate(response: response.httpURLResponse)
            )
            reply(.reject(error))
        }
    }

    /// Notifies the delegate of the end and lets it change the bytes, before the callers get them.
    private func finish(
        _ download: SharedDownload<SessionDataTask>,
        _ result: Result<DownloadedBody, TransferError>,
        _ condition: HTTPCondition?,
        _ reply: @escaping @Sendable (Result<DownloadedBody, TransferError>) -> Void
    ) {
        let task = download.attachment
        if let metrics = download.metrics { task.setMetrics(NetworkMetrics(metrics)) }
        guard let delegate else { return reply(result) }
        let reference = WeakReference(delegate)
        // The delegate may do expensive work such as decrypting, so it does not run on the
        // transport's thread.
        ImageMaker.pool.submit(priority: 1) { [self] in
            guard let delegate = reference.object as? any ImageDownloaderDelegate else {
                return reply(result)
            }
            var result = result
            // A confirmation has no bytes to change.
            let body = try? result.get()
            if body.map({ condition?.isConfirmed(by: $0.response) ?? false }) != true {
                result = hooked(result, task, delegate)
            }
            notifyEnd(of: task, result, delegate)
            reply(result)
        }
    }

    /// Lets the delegate change the bytes.
    private func hooked(
        _ result: Result<DownloadedBody, TransferError>,
        _ task: SessionDataTask,
        _ delegate: any ImageDownloaderDelegate
    ) -> Result<DownloadedBody, TransferError> {
        guard case .success(let body) = result else { return result }
        if let data = delegate.imageDownloader(self, didDownload: body.data, with: task) {
            return .success(body.with(data))
        }
        let error = KingfisherError.responseError(reason: .dataModifyingFailed(task: task))
        return .failure(.rejected(reason: error, url: body.response.url))
    }

    private func notifyEnd(
        of task: SessionDataTask,
        _ result: Result<DownloadedBody, TransferError>,
        _ delegate: any ImageDownloaderDelegate
    ) {
        guard let url = task.originalURL else { return }
        var response: URLResponse?
        var reason: KingfisherError?
        switch result {
        case .success(let body): response = body.response.httpURLResponse
        case .failure(.cancelled):
            reason = .requestError(reason: .taskCancelled(task: task, token: 0))
        case .failure(let error): reason = KingfisherError(error)
        }
        delegate.imageDownloader(
            self,
            didFinishDownloadingImageForURL: url,
            with: response,
            error: reason
        )
    }
}
