import Synchronization

/// One caller's part in what is made of a download; ends with its last reference at the latest.
final class JobMembership: Sendable {
    let task: SessionDataTask
    /// The caller's number within the download; the first is 1.
    let token: Int
    private let hasLeft = Atomic(false)

    init(_ task: SessionDataTask, token: Int) {
        self.task = task
        self.token = token
    }

    deinit { leave() }

    /// Lets go of the download's bytes and of what was made of them; only the first call counts.
    func leave() {
        guard !hasLeft.exchange(true, ordering: .relaxed) else { return }
        task.leave(token)
    }
}
