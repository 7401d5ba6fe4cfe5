extension DownloadTask {
    /// Starts work, on the caller's thread until it first has to wait, and gives the handle that
    /// cancels it.
    ///
    /// - Parameters:
    ///   - queue: Where the completion is called.
    ///   - completion: Called once; nil when nobody wants to know.
    ///   - work: Gets the handle that it attaches downloads to.
    /// - Returns: The handle.
    static func running<Value: Sendable>(
        callingBackOn queue: CallbackQueue,
        _ completion: (@Sendable (Result<Value, KingfisherError>) -> Void)?,
        _ work: @escaping @Sendable (DownloadTask) async throws -> Value
    ) -> DownloadTask {
        let task = DownloadTask()
        let running = Task.immediate {
            let result: Result<Value, KingfisherError>
            do {
                result = .success(try await work(task))
            } catch {
                result = .failure(KingfisherError(downloading: error, task: task))
            }
            task.cancellation.finish()
            guard let completion else { return }
            queue.execute { completion(result) }
        }
        task.cancellation.onCancel { running.cancel() }
        return task
    }
}
