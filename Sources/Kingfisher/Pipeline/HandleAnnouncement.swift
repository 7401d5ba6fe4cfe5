/// Tells the caller of the handle that replaces the one before, exactly once for each attempt.
struct HandleAnnouncement {
    private let tell: OnceCompletion<DownloadTask?>

    /// Announces `task` as soon as there is something to cancel.
    init(of task: DownloadTask, to events: LoadEvents) {
        let tell = OnceCompletion<DownloadTask?> { events.taskUpdated?($0) }
        self.tell = tell
        task.onInitialized { [weak task] in tell(task) }
    }

    /// Tells that the attempt needed no handle, unless it had one.
    func attemptEnded() {
        tell(nil)
    }
}
