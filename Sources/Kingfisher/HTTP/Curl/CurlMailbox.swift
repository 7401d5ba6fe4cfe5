import CCurlShim
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transfer as it was ordered.
struct CurlOrder: Sendable {
    let transfer: CurlTransfer
    let request: URLRequest
    let settings: TransferSettings
    let handler: any HTTPTransferHandler
    let time: ContinuousClock.Instant
}

/// What a handler answered to a question.
enum CurlAnswer: Sendable {
    case redirect(URLRequest?)
    case credential(TransferCredential?)
    case disposition(TransferDisposition)
    case trust(ServerTrustDecision)
}

/// What other threads ask of the loop.
enum CurlCommand: Sendable {
    case start(CurlOrder)
    case cancel(UInt64)
    case resume(UInt64)
    case prioritise(UInt64, Float)
    case answer(UInt64, question: Int, CurlAnswer)
    case census(CheckedContinuation<CurlCensus, Never>)
}

/// The only way into the loop's thread.
///
/// A bell of our own instead of `curl_multi_wakeup`: it is rung outside of the lock, which the loop
/// wants as soon as it is awake, and it may be rung when the loop is gone.
final class CurlMailbox: Sendable {
    private struct State {
        var commands: [CurlCommand] = []
        var isClosed = false
        /// The loop waits, or is about to: a post must ring.
        var isWaiting = false
        /// -1 before the loop is there, and if the process has no descriptor left.
        var bell: Int32 = -1
    }

    private let state = Mutex(State())

    deinit {
        let bell = state.withLock { $0.bell }
        if bell >= 0 { close(bell) }
    }

    func post(_ command: CurlCommand) {
        change { $0.commands.append(command) }
    }

    /// Ends the loop, which cancels what runs.
    func end() {
        change { $0.isClosed = true }
    }

    private func change(_ body: (inout State) -> Void) {
        let (mustRing, bell) = state.withLock { state in
            body(&state)
            defer { state.isWaiting = false }
            return (state.isWaiting, state.bell)
        }
        if mustRing { kf_curl_bell_ring(bell) }
    }

    // MARK: The loop's side

    /// Makes what the loop waits for besides sockets; -1 if the process has no descriptor left.
    func openBell() -> Int32 {
        let bell = kf_curl_bell_open()
        state.withLock { $0.bell = bell }
        return bell
    }

    func take() -> (commands: [CurlCommand], isClosed: Bool) {
        state.withLock { state in
            state.isWaiting = false
            defer { state.commands = [] }
            return (state.commands, state.isClosed)
        }
    }

    /// Whether there is nothing to do but wait; from then on a post rings.
    func mayWait() -> Bool {
        state.withLock { state in
            state.isWaiting = state.commands.isEmpty && !state.isClosed
            return state.isWaiting
        }
    }
}
