import Foundation
import Synchronization
import TestSupport

@testable import Kingfisher

/// One load of an ``Interleaving``, in one of the flavours.
final class InterleavedLoad: Sendable {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    private struct State: Sendable {
        var outcomes: [Outcome] = []
        var isCancelled = false
        var isSuperseded = false
        var cancel: (@Sendable () -> Void)?
    }

    /// The longest side that was asked for, 0 for the picture's own.
    let side: Int
    private let state = Mutex(State())
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Begins to load.
    init(
        _ url: URL,
        options: KingfisherOptionsInfo,
        side: Int,
        by manager: KingfisherManager,
        isAsync: Bool
    ) {
        self.side = side
        if isAsync {
            let work = Task.immediate { [self] in
                do {
                    add(.success(try await manager.retrieveImage(with: url, options: options)))
                } catch let error as KingfisherError {
                    add(.failure(error))
                } catch {
                    add(.failure(.requestError(reason: .asyncTaskContextCancelled)))
                }
            }
            task.withLock { $0 = work }
            state.withLock { $0.cancel = { work.cancel() } }
            return
        }
        let parsed = KingfisherParsedOptionsInfo(manager.resolved(options))
        let request = manager.request(.network(url), parsed) { [weak self] in
            self?.state.withLock { !$0.isSuperseded } ?? true
        }
        let handle = manager.start(request, events: LoadEvents()) { [self] in add($0) }
        state.withLock { $0.cancel = { handle.cancel() } }
    }

    var outcomes: [Outcome] { state.withLock { $0.outcomes } }

    /// Whether it was cancelled before it ended.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }

    /// Nobody wants it any more, as when a view shows something else; it is not cancelled.
    func supersede() {
        state.withLock { $0.isSuperseded = true }
    }

    /// Waits for what comes after the completion.
    func finished() async {
        await task.withLock { $0 }?.value
    }

    private func add(_ outcome: Outcome) {
        state.withLock { $0.outcomes.append(outcome) }
    }
}
