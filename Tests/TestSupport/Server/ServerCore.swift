import Foundation
import Synchronization

/// State and threads of ``ImageServer``, separate so that a released server can stop them.
final class ServerCore: Sendable {
    struct State {
        var routes: [String: @Sendable (ServerRequest) -> ServerReply] = [:]
        var fallback: @Sendable (ServerRequest) -> ServerReply = { _ in .status(404) }
        var requests: [ServerRequest] = []
        var opened = 0
        var closed = 0
        var abandoned = 0
        var floodBytes = 0
        fileprivate var waiters:
            [(isMet: @Sendable (State) -> Bool, CheckedContinuation<Void, Never>)] = []
    }

    let state = Mutex(State())
    let stopping = ServerEvent()

    func stop() { stopping.set() }

    /// Changes the state and resumes the waiters whose condition is met.
    func update(_ change: (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            let met = state.waiters.filter { $0.isMet(state) }
            guard !met.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            let snapshot = state
            state.waiters.removeAll { $0.isMet(snapshot) }
            return met.map { $0.1 }
        }
        for continuation in ready { continuation.resume() }
    }

    func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                if isMet(state) { return true }
                state.waiters.append((isMet, continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    func reply(to request: ServerRequest) -> ServerReply {
        let answer = state.withLock { $0.routes[request.path] ?? $0.fallback }
        return answer(request)
    }

    /// The accepting thread: starts one thread per connection until the server stops.
    func acceptAll(_ listener: Int32) {
        while ServerSocket.waitReadable(listener, or: [stopping]) == .descriptor {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { continue }
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            update { $0.opened += 1 }
            let thread = Thread { [self] in
                ServerConnection(client, core: self).serve()
                update { $0.closed += 1 }
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        close(listener)
    }
}
