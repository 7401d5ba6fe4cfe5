import Foundation
import Synchronization
import SystemPackage

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

private let lastDownloadID = Atomic<UInt64>(0)

/// One transfer and its callers.
///
/// The owner of the downloads attaches an object of its own to each of them.
package final class SharedDownload<Attachment: AnyObject & Sendable>: Sendable {
    /// A number that is unique within the process.
    package let id: UInt64
    let identity: RequestIdentity
    private let transport: any HTTPTransport
    private let hooks: DownloadHooks<Attachment>
    private let table: DownloadTable<Attachment>
    private let partials: PartialBodies?
    private let state: Mutex<DownloadState>
    private let attached = Mutex<Attachment?>(nil)
    private let attach: @Sendable (SharedDownload) -> Attachment

    init(
        _ identity: RequestIdentity,
        hooks: DownloadHooks<Attachment>,
        transport: any HTTPTransport,
        partials: PartialBodies?,
        pool: BodyPool,
        table: DownloadTable<Attachment>,
        attaching attach: @escaping @Sendable (SharedDownload) -> Attachment
    ) {
        id = lastDownloadID.wrappingAdd(1, ordering: .relaxed).newValue
        self.identity = identity
        self.hooks = hooks
        self.transport = transport
        self.partials = partials
        self.table = table
        self.attach = attach
        state = Mutex(
            DownloadState(maxBodyBytesInMemory: identity.settings.maxBodyBytesInMemory, pool: pool)
        )
    }

    /// The request of the creator.
    package var request: URLRequest { identity.request }

    private var condition: HTTPCondition? { identity.condition }

    /// The URL by which the callers know the download.
    package var askedURL: URL? { identity.asked }

    // MARK: State

    /// An independent copy of the body so far; the next piece then copies all of it.
    package var data: Data { data(from: 0) }

    /// A copy of the bytes after the first `offset` bytes.
    package func data(from offset: Int) -> Data {
        // Copied outside the lock, because a large body is read from a file.
        state.withLock { $0.body }.copy(from: offset)
    }

    /// The bytes delivered to the callers, while one of them keeps them.
    package var result: DownloadedBody? { state.withLock { $0.kept } }

    /// The object attached to the download; made on first use.
    package var attachment: Attachment {
        attached.withLock { attached in
            if let attached { return attached }
            let made = attach(self)
            attached = made
            return made
        }
    }

    /// The redirects followed so far.
    package var redirects: [TransferResponse] { state.withLock { $0.redirects } }

    /// The head of the response, once received.
    package var response: TransferResponse? { state.withLock { $0.response } }

    /// The metrics; nil before the end.
    package var metrics: TransferMetrics? { state.withLock { $0.metrics } }

    /// The progress of the body.
    package var progress: TransferProgress { state.withLock { $0.progress } }

    /// The number of callers.
    package var callerCount: Int { state.withLock { $0.callerCount } }

    /// The highest priority of the callers; after the end, of the callers at that time.
    package var priority: Float { state.withLock { $0.currentPriority } }

    /// Whether the transfer has ended; only callers that accept finished downloads can join then.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    // MARK: Control

    /// Starts the transfer; later calls have no effect.
    ///
    /// The creator calls it after it has notified its delegate, even if it has cancelled meanwhile,
    /// because others may have joined.
    package func start() {
        state.withLock { $0.start() }
        perform()
    }

    /// Ends the download for all callers with ``TransferError/cancelled``.
    package func cancel() {
        finish { $0.end(.failure(.cancelled)) }
    }

    /// Keeps the bytes received so far for a later process; the download goes on.
    func keepReceived() {
        if let received = state.withLock({ $0.received }) { keep(received) }
    }

    func join(_ caller: DownloadCaller, mayJoinFinished: Bool) -> Int? {
        state.withLock { $0.join(caller, mayJoinFinished: mayJoinFinished) }
    }

    func leave(_ token: Int) {
        finish { $0.leave(token) }
    }

    func prioritise(_ token: Int, _ priority: Float) {
        state.withLock { $0.prioritise(token, priority) }
        perform()
    }

    /// Applies `change`.
    ///
    /// If it ends the download, unregisters it before any callback runs.
    ///
    /// A request made in a callback therefore starts a new download, unless a caller keeps the
    /// bytes of this one. It also finds the updated partial body: an interrupted one is kept first,
    /// and that of a complete download is removed first.
    private func finish(_ change: (inout DownloadState) -> Bool) {
        let (hasEnded, hasEffects) = state.withLock { (change(&$0), $0.hasEffects) }
        if hasEnded {
            let (interrupted, hasWhole) = state.withLock {
                ($0.takeInterrupted(), $0.takeHasWhole())
            }
            if interrupted.map(keep) ?? false {
                state.withLock { $0.dropTaken() }
            } else if hasWhole {
                state.withLock { $0.dropTaken() }
                forgetPartial()
            }
            releaseTaken()
            if !state.withLock({ $0.isKept }) { table.remove(self) }
        }
        // Most pieces of a body have no effects.
        if hasEffects { perform() }
    }

    // MARK: Effects

    /// Performs the pending effects, unless another thread is already performing them.
    func perform() {
        var resuming = false
        while let effect = state.withLock({ $0.nextEffect(resuming: resuming) }) {
            resuming = true
            perform(effect)
        }
    }

    private func perform(_ effect: DownloadState.Effect) {
        switch effect {
        case .start:
            begin()
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
        case .report(let result):
            guard let finished = hooks.finished else { return deliver(result) }
            finished(self, result) { [self] in deliver($0) }
        case .abandon:
            hooks.abandoned?(self)
        case .finish(let callers, let result):
            for caller in callers { caller.finished(result) }
        }
    }
}

// MARK: The transfer

extension SharedDownload {
    /// Delivers the result to the callers, once.
    private func deliver(_ result: Result<DownloadedBody, TransferError>) {
        finish { $0.deliver(result) }
    }

    /// Starts the transfer; looks for an interrupted body first if there may be one.
    private func begin() {
        guard let partials, !partials.isEmpty, let key = identity.resumptionKey,
            partials.contains(key)
        else { return send(resuming: nil) }
        partials.find(key, threshold: identity.settings.maxBodyBytesInMemory) { [self] in
            send(resuming: $0)
        }
    }

    private func send(resuming found: PartialBodies.Found?) {
        var request = request
        if let found {
            request.setValue("bytes=\(found.head.received)-", forHTTPHeaderField: "Range")
            request.setValue(found.head.validator, forHTTPHeaderField: "If-Range")
        }
        var settings = identity.settings
        let number = state.withLock { state in
            state.resume(found)
            settings.priority = state.currentPriority
            return state.send()
        }
        guard let number else { return releaseTaken() }
        let transfer = transport.start(request, settings: settings, handler: self)
        let (isOwn, priority) = state.withLock { state in
            (state.begin(transfer, of: number), state.currentPriority)
        }
        // The download may have ended meanwhile, or its priority changed, when it did not know the
        // transfer. Cancelling an ended one has no effect.
        if !isOwn { transfer.cancel() }
        if priority != settings.priority { transfer.setPriority(priority) }
    }

    @discardableResult
    private func keep(_ interrupted: InterruptedBody) -> Bool {
        guard let partials, partials.accepts(interrupted.body.count),
            let key = identity.resumptionKey
        else { return false }
        return partials.keep(interrupted.body, interrupted.head, for: key)
    }

    /// The file for a large body.
    ///
    /// If the server supports ranges, it can be found after the process was killed.
    private func spillFile(_ response: TransferResponse) throws(Errno) -> SpillFile {
        guard let partials, let head = PartialHead(response, received: 0),
            head.total.map(partials.accepts) ?? true, let key = identity.resumptionKey,
            let file = partials.running(head, for: key)
        else { return try SpillFile() }
        return file
    }

    /// Puts the part back that this download has taken and not continued, or removes it.
    private func releaseTaken() {
        guard let taken = state.withLock({ $0.takeTaken() }), let key = identity.resumptionKey
        else { return }
        switch taken {
        case .forget: partials?.spend(key)
        case .putBack: partials?.putBack(key)
        }
    }

    /// Removes the kept part of this body, which is no longer needed.
    private func forgetPartial() {
        guard let partials, !partials.isEmpty, let key = identity.resumptionKey else { return }
        partials.forget(key)
    }
}

extension SharedDownload: HTTPTransferHandler {
    package func transfer(
        _ transfer: any HTTPTransfer,
        willRedirect response: TransferResponse,
        to request: URLRequest,
        reply: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let follow = { @Sendable [self] (next: URLRequest?) in
            guard let next, condition?.isEnd(next) != true else { return reply(nil) }
            state.withLock { $0.follow(response) }
            reply(condition?.applied(to: next) ?? next)
        }
        guard let redirect = hooks.redirect else { return follow(request) }
        redirect(self, response, request, follow)
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
        didReceive trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    ) {
        guard let decide = hooks.trust else { return reply(.performDefaultHandling) }
        decide(self, trust, reply)
    }

    package func transfer(
        _ transfer: any HTTPTransfer,
        didReceive response: TransferResponse,
        reply: @escaping @Sendable (TransferDisposition) -> Void
    ) {
        let asksForPart = request.value(forHTTPHeaderField: "Range") != nil
        guard let head = state.withLock({ $0.receive(response, asksForPart: asksForPart) }) else {
            return reply(.cancel)
        }
        let decide = { @Sendable [self] (disposition: TransferDisposition) in
            guard case .allow = disposition, let reason = refusal(of: head) else {
                return reply(disposition)
            }
            finish { $0.fail(.badResponse(reason: reason, url: head.url)) }
            reply(.cancel)
        }
        guard let check = hooks.response else { return decide(.allow) }
        check(self, head, decide)
    }

    /// Why a response has no body for this request; nil if it may have one.
    private func refusal(of response: TransferResponse) -> String? {
        func has(_ name: String) -> Bool { request.value(forHTTPHeaderField: name) != nil }
        switch response.statusCode {
        case 206 where !has("Range"):
            return "it is partial (206), but the complete body was requested"
        case 204, 205:
            return "it has no body (\(response.statusCode))"
        case 304 where condition == nil && !has("If-None-Match") && !has("If-Modified-Since"):
            return "it confirms a cached image (304), but the image was requested"
        default:
            return nil
        }
    }

    package func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan) {
        finish { $0.receive(chunk, limit: identity.settings.maxBodyBytes, spill: spillFile) }
    }

    package func transfer(
        _ transfer: any HTTPTransfer,
        didFinish error: TransferError?,
        metrics: TransferMetrics
    ) {
        if state.withLock({ $0.takeStartOver(after: error) }) { return send(resuming: nil) }
        finish { $0.end(error, metrics) }
        releaseTaken()
        state.withLock { $0.transfer = nil }
    }
}
