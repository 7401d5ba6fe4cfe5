package import Foundation
package import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Records the events of a transfer, and answers its questions by closures.
package final class TransferRecorder: HTTPTransferHandler {
    /// The received events, in order.
    package enum Event: Sendable, Equatable {
        /// A redirect to this URL.
        case redirect(String)
        /// A challenge for this realm.
        case challenge(String)
        /// A server trust question with this number of certificates.
        case trust(Int)
        /// A response with this status.
        case response(Int)
        /// This number of bytes.
        case chunk(Int)
        /// The end.
        case finish
    }

    /// The end of a transfer.
    package struct Outcome: Sendable {
        /// The error, if there was one.
        package let error: TransferError?
        /// Its metrics.
        package let metrics: TransferMetrics
        /// The received part of the body.
        package let body: Data
        /// The last response announced.
        package let response: TransferResponse?

        /// Compares whole bodies; an `#expect` with `==` would spend minutes on their difference.
        package func hasBody(_ expected: Data) -> Bool { body == expected }
    }

    private struct State {
        var events: [Event] = []
        var body = Data()
        var response: TransferResponse?
        var outcome: Outcome?
        var finishCount = 0
        var waiters: [(@Sendable ([Event]) -> Bool, CheckedContinuation<Void, Never>)] = []
    }

    /// Answers a redirect.
    package typealias Redirect =
        @Sendable (TransferResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void) -> Void
    /// Answers a challenge.
    package typealias Challenge =
        @Sendable (TransferChallenge, @escaping @Sendable (TransferCredential?) -> Void) -> Void
    /// Decides about a server.
    package typealias Trust =
        @Sendable (ServerTrust, @escaping @Sendable (ServerTrustDecision) -> Void) -> Void
    /// Answers a response.
    package typealias Respond =
        @Sendable (
            any HTTPTransfer, TransferResponse, @escaping @Sendable (TransferDisposition) -> Void
        ) -> Void

    private let state = Mutex(State())
    private let onRedirect: Redirect
    private let onChallenge: Challenge
    private let onTrust: Trust
    private let onResponse: Respond
    private let onChunk: @Sendable (any HTTPTransfer) -> Void

    /// Creates a recorder that by default follows redirects, has no credential and allows
    /// responses.
    package init(
        redirect: @escaping Redirect = { $2($1) },
        challenge: @escaping Challenge = { $1(nil) },
        trust: @escaping Trust = { $1(.performDefaultHandling) },
        response: @escaping Respond = { $2(.allow) },
        chunk: @escaping @Sendable (any HTTPTransfer) -> Void = { _ in }
    ) {
        onRedirect = redirect
        onChallenge = challenge
        onTrust = trust
        onResponse = response
        onChunk = chunk
    }

    /// The events so far.
    package var events: [Event] { state.withLock { $0.events } }

    /// The number of received bytes of the body.
    package var byteCount: Int { state.withLock { $0.body.count } }

    /// How often the end was announced.
    package var finishCount: Int { state.withLock { $0.finishCount } }

    /// Waits for the end.
    package func outcome() async -> Outcome {
        await wait { $0.last == .finish }
        guard let outcome = state.withLock({ $0.outcome }) else {
            preconditionFailure("the end has no outcome")
        }
        return outcome
    }

    /// Waits until the events satisfy a condition.
    package func wait(until isMet: @escaping @Sendable ([Event]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                if isMet(state.events) { return true }
                state.waiters.append((isMet, continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    private func note(_ event: Event, _ change: (inout State) -> Void = { _ in }) {
        let ready = state.withLock { state in
            change(&state)
            state.events.append(event)
            let events = state.events
            let ready = state.waiters.filter { $0.0(events) }.map { $0.1 }
            state.waiters.removeAll { $0.0(events) }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }

    // MARK: HTTPTransferHandler

    package func transfer(
        _ transfer: any HTTPTransfer,
        willRedirect response: TransferResponse,
        to request: URLRequest,
        reply: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note(.redirect(request.url?.absoluteString ?? ""))
        onRedirect(response, request, reply)
    }

    package func transfer(
        _ transfer: any HTTPTransfer,
        didReceive challenge: TransferChallenge,
        reply: @escaping @Sendable (TransferCredential?) -> Void
    ) {
        note(.challenge(challenge.realm ?? ""))
        onChallenge(challenge, reply)
    }

    package func transfer(
        _ transfer: any HTTPTransfer,
        didReceive trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    ) {
        note(.trust(trust.certificates.count))
        onTrust(trust, reply)
    }

    package func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    ) {
        note(.response(response.statusCode)) { $0.response = response }
        onResponse(transfer, response, reply)
    }

    package func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan) {
        let piece = chunk.withUnsafeBytes { Data($0) }
        note(.chunk(piece.count)) { $0.body.append(piece) }
        onChunk(transfer)
    }

    package func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    ) {
        note(.finish) { state in
            state.finishCount += 1
            state.outcome = Outcome(
                error: error,
                metrics: metrics,
                body: state.body,
                response: state.response
            )
        }
    }
}
