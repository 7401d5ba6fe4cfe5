import CKFCurlShim
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The arguments of a started transfer.
///
/// A class, because a command is copied several times on its way to the loop.
final class CurlOrder: Sendable {
    let transfer: CurlTransfer
    let request: URLRequest
    let settings: TransferSettings
    let handler: any HTTPTransferHandler
    let time: CurlTime

    init(
        transfer: CurlTransfer,
        request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler,
        time: CurlTime
    ) {
        self.transfer = transfer
        self.request = request
        self.settings = settings
        self.handler = handler
        self.time = time
    }
}

/// The handler's reply to a question.
enum CurlAnswer: Sendable {
    case redirect(URLRequest?)
    case credential(TransferCredential?)
    case disposition(TransferDisposition)
    case trust(ServerTrustDecision)
}

/// A command from another thread.
enum CurlCommand: Sendable {
    case start(CurlOrder)
    case cancel(UInt64)
    case resume(UInt64)
    case prioritise(UInt64, Float)
    case answer(UInt64, question: Int, CurlAnswer)
    case census(CheckedContinuation<CurlCensus, Never>)
}

/// Passes commands from other threads to the loop.
///
/// Wakes the loop through its own event descriptor rather than `curl_multi_wakeup`: it can be
/// signalled outside the lock, which the loop takes as soon as it is awake, and also after the loop
/// has ended.
final class CurlMailbox: Sendable {
    private struct State {
        var commands: [CurlCommand] = []
        var isClosed = false
        /// Whether the loop waits or is about to: a post must wake it.
        var isWaiting = false
        /// -1 before the loop has started, and if the process has no descriptor left.
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

    /// Ends the loop, which cancels the running transfers.
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

    // MARK: Called by the loop

    /// Opens the event descriptor; -1 if the process has no descriptor left.
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

    /// Whether there are no commands; from then on a post wakes the loop.
    func mayWait() -> Bool {
        state.withLock { state in
            state.isWaiting = state.commands.isEmpty && !state.isClosed
            return state.isWaiting
        }
    }
}
