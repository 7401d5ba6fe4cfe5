import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ImageDownloader {
    /// What a download as a whole asks and tells: redirects, passwords, the head, the end.
    ///
    /// The hooks hold the downloader until the download has ended, so that nothing ends without
    /// its completion.
    ///
    /// - Parameters:
    ///   - redirectHandler: Decides about redirects.
    ///   - isConditional: Whether the request asks if a cached picture is still good: the answer
    ///     304 is the library's own then, and no delegate is asked about it.
    /// - Returns: The hooks, for one download.
    func hooks(
        redirectHandler: (any ImageDownloadRedirectHandler)?,
        isConditional: Bool = false
    ) -> DownloadHooks {
        var hooks = DownloadHooks()
        if let redirectHandler {
            hooks.redirect = { [self] download, response, request, reply in
                let task = sessionTasks.task(for: download)
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
            answer(challenge, of: sessionTasks.task(for: download), reply: reply)
        }
        hooks.response = { [self] _, response, reply in
            if isConditional, response.statusCode == 304 { return reply(.allow) }
            check(response, reply: reply)
        }
        hooks.finished = { [self] download, result in
            finish(download, result, isConditional: isConditional)
        }
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

    private func finish(
        _ download: SharedDownload,
        _ result: Result<DownloadedBody, TransferError>,
        isConditional: Bool
    ) {
        let task = sessionTasks.remove(download)
        if let metrics = download.metrics { task.setMetrics(NetworkMetrics(metrics)) }
        if case .success = result { arrivedDownloads.add(task, download.identity) }
        guard let delegate else { return task.end(outcome(of: result, task)) }
        let reference = WeakReference(delegate)
        // The delegate may decrypt or unpack: not on the one thread that carries every transfer.
        ProcessingJobs.pool.submit(priority: 1) { [self] in
            var outcome = outcome(of: result, task)
            let isConfirmation =
                isConditional && (try? outcome.get())?.response?.statusCode == 304
            // There are no bytes that it could change.
            if !isConfirmation { outcome = hooked(outcome, task, reference) }
            announceEnd(of: task, outcome, reference)
            task.end(outcome)
        }
    }

    private func outcome(
        of result: Result<DownloadedBody, TransferError>,
        _ task: SessionDataTask
    ) -> SessionDataTask.Outcome {
        switch result {
        case .success(let body):
            return .success(
                FetchedData(
                    data: body.data,
                    url: task.originalURL,
                    response: body.response,
                    metrics: NetworkMetrics(body.metrics)
                )
            )
        case .failure(.cancelled):
            return .failure(.requestError(reason: .taskCancelled(task: task, token: 0)))
        case .failure(.rejected(let reason as KingfisherError, _)):
            return .failure(reason)
        case .failure(let error):
            return .failure(.responseError(reason: .URLSessionError(error: URLError(error))))
        }
    }

    /// Lets the delegate change the bytes.
    private func hooked(
        _ outcome: SessionDataTask.Outcome,
        _ task: SessionDataTask,
        _ delegate: WeakReference
    ) -> SessionDataTask.Outcome {
        guard case .success(let fetched) = outcome,
            let delegate = delegate.object as? any ImageDownloaderDelegate
        else { return outcome }
        guard let data = delegate.imageDownloader(self, didDownload: fetched.data, with: task)
        else { return .failure(.responseError(reason: .dataModifyingFailed(task: task))) }
        return .success(fetched.with(data: data))
    }

    private func announceEnd(
        of task: SessionDataTask,
        _ outcome: SessionDataTask.Outcome,
        _ delegate: WeakReference
    ) {
        guard let url = task.originalURL,
            let delegate = delegate.object as? any ImageDownloaderDelegate
        else { return }
        switch outcome {
        case .success(let fetched):
            delegate.imageDownloader(
                self,
                didFinishDownloadingImageForURL: url,
                with: fetched.response?.httpURLResponse,
                error: nil
            )
        case .failure(let error):
            delegate.imageDownloader(
                self,
                didFinishDownloadingImageForURL: url,
                with: nil,
                error: error
            )
        }
    }
}
