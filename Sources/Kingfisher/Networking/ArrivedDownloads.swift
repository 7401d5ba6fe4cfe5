import Synchronization

/// Downloads that have ended while their bytes are still worked on: a load that comes late attaches
/// to one rather than download again.
final class ArrivedDownloads: Sendable {
    private let tasks = Mutex<[RequestIdentity: SessionDataTask]>([:])

    var count: Int { tasks.withLock { $0.count } }

    /// Lists a download until its last member leaves.
    func add(_ task: SessionDataTask, _ identity: RequestIdentity) {
        tasks.withLock { $0[identity] = task }
        // Every member leaves in the end, so that this holds nothing for good.
        task.whenAbandoned { [self] in remove($0, identity) }
    }

    private func remove(_ task: SessionDataTask, _ identity: RequestIdentity) {
        tasks.withLock { tasks in
            // A newer download of the same may have the place.
            if tasks[identity] === task { tasks[identity] = nil }
        }
    }

    /// The download of an equal request; nil, without a look at the request, when there is none.
    func task(for identity: () -> RequestIdentity) -> SessionDataTask? {
        guard tasks.withLock({ !$0.isEmpty }) else { return nil }
        let identity = identity()
        return tasks.withLock { $0[identity] }
    }
}
