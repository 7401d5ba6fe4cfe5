package import Foundation
import Synchronization

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// One running transfer and all who wait for it.
package final class SharedDownload: Sendable {
    /// Different for every download of the process.
    package let id: UInt64
    /// The request as its creator gave it.
    package let request: URLRequest
    let identity: RequestIdentity
    private let settings: TransferSettings
    private let transport: any HTTPTransport
    private let hooks: DownloadHooks
    private let table: DownloadTable
    private let state = Mutex(DownloadState())

    private static let lastID = Atomic<UInt64>(0)

    init(
        _ request: URLRequest,
        identity: RequestIdentity,
        settings: TransferSettings,
        hooks: DownloadHooks,
        transport: any HTTPTransport,
        table: DownloadTable
    ) {
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.request = request
        self.identity = identity
        self.settings = settings
        self.hooks = hooks
        self.transport = transport
        self.table = table
    }

    // MARK: What is known so far

    /// An independent copy of the body so far; the next piece then costs a copy of all of it.
    package var data: Data { state.withLock { Data($0.data) } }

    /// A copy of what has arrived after the first `offset` bytes.
    package func data(from offset: Int) -> Data {
        state.withLock { Data($0.data.dropFirst(offset)) }
    }

    /// The head of the answer, once it is here.
    package var response: TransferResponse? { state.withLock { $0.response } }

    /// The metrics, after the end.
    package var metrics: TransferMetrics? { state.withLock { $0.metrics } }

    /// How far it has come.
    package var progress: TransferProgress { state.withLock { $0.progress } }

    /// How many wait for it.
    package var callerCount: Int { state.withLock { $0.callerCount } }

    /// Whether it takes no more callers.
    package var hasEnded: Bool { state.withLock { $0.phase == .ended } }

    // MARK: Steering

    /// Starts the transfer; only the first call counts.
    ///
    /// The creator calls it once it has announced the download, even if it has cancelled since:
    /// others may have joined.
    package func start() {
        state.withLock { $0.start() }
        perform()
    }

    /// Ends the download for all callers with ``TransferError/cancelled``.
    package func cancel() {
        finish { $0.end(.failure(.cancelled)) }
    }

    func join(_ caller: DownloadCaller) -> Int? {
        state.withLock { $0.join(caller) }
    }

    func leave(_ token: Int) {
        finish { $0.leave(token) }
    }

    func prioritise(_ token: Int, _ priority: Float) {
        state.withLock { $0.prioritise(token, priority) }
        perform()
    }

    /// Applies a change that may be the end; then a new request must not find this one any more,
    /// not even from within the callbacks of the end.
    private func finish(_ change: (inout DownloadState) -> Bool) {
        if state.withLock({ change(&$0) }) { table.remove(self) }
        perform()
    }

    // MARK: Effects

    /// Performs what is to be done, unless another thread is at it and takes this along.
    func perform() {
        var resuming = false
        while let effect = state.withLock({ $0.nextEffect(resuming: resuming) }) {
            resuming = true
            perform(effect)
        }
    }

    private func perform(_ effect: DownloadState.Effect) {
        switch effect {
        case .start(let priority):
            var settings = settings
            settings.priority = priority
            let transfer = transport.start(request, settings: settings, handler: self)
            state.withLock { if $0.phase != .ended { $0.transfer = transfer } }
            // It may have ended meanwhile; a transfer that is over does not mind.
            if hasEnded { transfer.cancel() }
        case .stop:
            let transfer = state.withLock { state in
                defer { state.transfer = nil }
                return state.transfer
            }
            transfer?.cancel()
        case .prioritise(let priority):
            state.withLock { $0.transfer }?.setPriority(priority)
        case .tell(let progress, let callers):
            for caller in callers { caller.progress?(progress) }
        case .announce(let result):
            hooks.finished?(self, result)
        case .finish(let callers, let result):
            for caller in callers { caller.finished(result) }
        }
    }
}

extension SharedDownload: HTTPTransferHandler {
    package func transfer(
        _ transfer: any HTTPTransfer,
        willRedirect response: TransferResponse,
        to request: URLRequest,
        reply: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let redirect = hooks.redirect else { return reply(request) }
        redirect(self, response, request, reply)
    }

    package func transfer(
        _ transfer: any HTTPTransfer,
        didReceive challenge: TransferChallenge,
        reply: @escaping @Sendable (TransferCredential?) -> Void
    ) {
        guard let answer = hooks.challenge else { return reply(nil) }
        answer(self, challenge, reply)
    }

    package func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    ) {
        state.withLock { $0.response = response }
        guard let check = hooks.response else { return reply(.allow) }
        check(self, response, reply)
    }

    package func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan) {
        state.withLock { $0.receive(chunk) }
        perform()
    }

    package func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    ) {
        finish { $0.end(error, metrics) }
        state.withLock { $0.transfer = nil }
    }
}
