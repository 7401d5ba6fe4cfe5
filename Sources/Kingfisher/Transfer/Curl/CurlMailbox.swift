import CCurl
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
final class CurlMailbox: Sendable {
    private struct State {
        var commands: [CurlCommand] = []
        var isClosed = false
        /// The loop is in `curl_multi_poll`, or about to enter it: a post must wake it.
        var isPolling = false
        /// The multi handle as a number; 0 before the loop has made it and after it is gone.
        var multi: UInt = 0
    }

    private let state = Mutex(State())

    func post(_ command: CurlCommand) {
        state.withLock { state in
            state.commands.append(command)
            wake(&state)
        }
    }

    /// Ends the loop, which cancels what runs.
    func close() {
        state.withLock { state in
            state.isClosed = true
            wake(&state)
        }
    }

    // Inside the lock: the loop withdraws `multi` under it before it frees the handle.
    private func wake(_ state: inout State) {
        guard state.isPolling, let multi = UnsafeMutableRawPointer(bitPattern: state.multi)
        else { return }
        state.isPolling = false
        curl_multi_wakeup(multi)
    }

    // MARK: The loop's side

    func attach(_ multi: UnsafeMutableRawPointer) {
        let number = UInt(bitPattern: multi)
        state.withLock { $0.multi = number }
    }

    /// Withdraws the multi handle; what is posted from now on is returned by `take`.
    func detach() {
        state.withLock { $0.multi = 0 }
    }

    func take() -> (commands: [CurlCommand], isClosed: Bool) {
        state.withLock { state in
            state.isPolling = false
            defer { state.commands = [] }
            return (state.commands, state.isClosed)
        }
    }

    /// Whether there is nothing to do but wait; from then on a post wakes the loop.
    func mayPoll() -> Bool {
        state.withLock { state in
            state.isPolling = state.commands.isEmpty && !state.isClosed
            return state.isPolling
        }
    }
}
