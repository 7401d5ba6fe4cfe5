extension DownloadTask {
    /// Starts work on the calling thread, up to its first suspension, and returns its task.
    ///
    /// The work can end before this function returns, because an operation on another thread may
    /// be faster than the caller. With `CallbackQueue.mainCurrentOrAsync` the completion is called
    /// after that, unless the value was available at once: callers must not depend on who is
    /// faster.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the completion is called.
    ///   - completion: Called once; nil for none.
    ///   - isImmediate: Whether a value was available without an operation on another thread.
    ///   - work: Receives the task, to which it attaches downloads.
    /// - Returns: The task that cancels the work.
    static func running<Value: Sendable>(
        callingBackOn queue: CallbackQueue,
        _ completion: (@Sendable (Result<Value, KingfisherError>) -> Void)?,
        isImmediate: @escaping @Sendable (Value) -> Bool = { _ in false },
        _ work: @escaping @Sendable (DownloadTask) async throws -> Value
    ) -> DownloadTask {
        let task = DownloadTask()
        let running = Task.immediate {
            let result: Result<Value, KingfisherError>
            var endsInCall = false
            do {
                let value = try await work(task)
                endsInCall = isImmediate(value)
                result = .success(value)
            } catch {
                result = .failure(KingfisherError(downloading: error, task: task))
            }
            task.cancellation.finish()
            guard let completion else { return }
            (endsInCall ? queue : queue.afterCaller).execute { completion(result) }
        }
        task.cancellation.onCancel { running.cancel() }
        return task
    }
}
