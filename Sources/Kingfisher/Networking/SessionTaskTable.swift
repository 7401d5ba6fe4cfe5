import Synchronization

/// The public face of each running download.
final class SessionTaskTable: Sendable {
    private let tasks = Mutex<[UInt64: SessionDataTask]>([:])

    /// The task of a download, made by whoever asks first.
    func task(for download: SharedDownload) -> SessionDataTask {
        tasks.withLock { tasks in
            if let task = tasks[download.id] { return task }
            // One that has ended was removed already, or is about to be.
            let isTooLate = download.hasEnded
            let task = SessionDataTask(request: download.request, isTooLate: isTooLate)
            guard !isTooLate else { return task }
            task.setDownload(download)
            tasks[download.id] = task
            return task
        }
    }

    /// Forgets the task of a download that has ended, and gives it once more.
    func remove(_ download: SharedDownload) -> SessionDataTask {
        tasks.withLock { $0.removeValue(forKey: download.id) }
            ?? SessionDataTask(request: download.request, isTooLate: true)
    }

    var count: Int { tasks.withLock { $0.count } }
}
