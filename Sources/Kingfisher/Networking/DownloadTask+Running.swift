extension DownloadTask {
    /// Starts work on the calling thread, up to its first suspension, and returns its task.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the completion is called.
    ///   - completion: Called once; nil for none.
    ///   - work: Receives the task, to which it attaches downloads.
    /// - Returns: The task that cancels the work.
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
