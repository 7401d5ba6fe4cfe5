import Synchronization

/// The caller's side of a transfer; its calls are posted to the loop.
final class CurlTransfer: HTTPTransfer {
    let id: UInt64
    private let mailbox: CurlMailbox
    private let cancelled = Atomic(false)
    private let paused = Atomic(false)

    init(id: UInt64, mailbox: CurlMailbox) {
        self.id = id
        self.mailbox = mailbox
    }

    /// Read by the loop before each event, so that no event follows ``cancel()``.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        mailbox.post(.cancel(id))
    }

    /// Read by the loop before each chunk, so that a pause takes effect before pending commands.
    var isPaused: Bool { paused.load(ordering: .acquiring) }

    func pause() { paused.store(true, ordering: .releasing) }

    func resume() {
        guard paused.exchange(false, ordering: .acquiringAndReleasing) else { return }
        mailbox.post(.resume(id))
    }

    func setPriority(_ priority: Float) { mailbox.post(.prioritise(id, priority)) }

    func post(_ answer: CurlAnswer, to question: Int) {
        mailbox.post(.answer(id, question: question, answer))
    }
}
