import Foundation
import SystemPackage

/// The state of a shared download as a value; its methods record the effects to perform.
struct DownloadState {
    enum Phase {
        case created
        case started
        /// The transfer has ended, and the `finished` hook processes the result.
        case ended
        /// The callers have the result.
        case delivered
    }

    /// An effect to perform outside the lock, in order.
    enum Effect {
        case start
        case stop
        case prioritise(Float)
        case tell(TransferProgress, [DownloadCaller])
        case report(Result<DownloadedBody, TransferError>)
        case finish([DownloadCaller], Result<DownloadedBody, TransferError>)
        case abandon
    }

    private(set) var phase = Phase.created
    private var callers: [Int: DownloadCaller] = [:]
    /// The number of callers for each priority.
    private var priorities: [Float: Int] = [:]
    private var lastToken = 0
    /// The callers that keep the bytes they received.
    private var keepers: Set<Int> = []
    /// The bytes kept by callers.
    private(set) var kept: DownloadedBody?
    /// Whether the transfer ended with a complete body.
    private var hasSucceeded = false
    private var priority: Float = 0
    private var wasStartCalled = false
    private var effects: [Effect] = []
    private var isPerforming = false

    private(set) var body: BodyBuffer
    private(set) var redirects: [TransferResponse] = []
    private(set) var response: TransferResponse?
    private(set) var metrics: TransferMetrics?
    var transfer: (any HTTPTransfer)?
    /// The number of requests sent; one for the rest of a body may be followed by one for the whole.
    private var sentCount = 0

    private var resumption = ResumptionState()
    /// Whether the body is complete: a kept part of it is no longer needed.
    private var hasWhole = false

    /// The highest priority of the callers.
    var currentPriority: Float { priority }

    init(maxBodyBytesInMemory: Int, pool: BodyPool? = nil) {
        body = BodyBuffer(threshold: maxBodyBytesInMemory, pool: pool)
        // Room for the start and the end, for hooks and callers.
        effects.reserveCapacity(2)
    }

    var callerCount: Int { callers.count }

    private var callersInOrder: [DownloadCaller] {
        callers.count == 1
            ? Array(callers.values) : callers.sorted { $0.key < $1.key }.map(\.value)
    }

    var progress: TransferProgress {
        TransferProgress(received: body.count, expected: response?.expectedLength)
    }

    // MARK: Callers

    var hasEnded: Bool { phase == .ended || phase == .delivered }

    /// Whether the bytes are available to later callers.
    var isKept: Bool {
        kept != nil
            || phase == .ended && hasSucceeded && callers.values.contains(where: \.keepsBytes)
    }

    /// Adds a caller; `nil` if it is too late.
    mutating func join(_ caller: DownloadCaller, mayJoinFinished: Bool) -> Int? {
        guard !hasEnded || mayJoinFinished && isKept else { return nil }
        lastToken += 1
        if let kept {
            if caller.keepsBytes { keepers.insert(lastToken) }
            effects.append(.finish([caller], .success(kept)))
            return lastToken
        }
        callers[lastToken] = caller
        count(caller.priority, 1)
        updatePriority()
        return lastToken
    }

    /// Removes a caller; it receives `cancelled` unless it already has its bytes.
    ///
    /// Removing the last one ends the download or releases its bytes. Returns whether it did.
    mutating func leave(_ token: Int) -> Bool {
        if keepers.remove(token) != nil {
            guard keepers.isEmpty else { return false }
            kept = nil
            effects.append(.abandon)
            return true
        }
        guard callers[token] != nil else { return false }
        if callers.count == 1, !hasEnded { return end(.failure(.cancelled)) }
        guard let caller = callers.removeValue(forKey: token) else { return false }
        count(caller.priority, -1)
        effects.append(.finish([caller], .failure(.cancelled)))
        updatePriority()
        return hasEnded && callers.isEmpty
    }

    mutating func prioritise(_ token: Int, _ priority: Float) {
        guard let old = callers[token]?.priority else { return }
        count(old, -1)
        count(priority, 1)
        callers[token]?.priority = priority
        updatePriority()
    }

    private mutating func count(_ priority: Float, _ change: Int) {
        // NaN is not equal to itself, so it could not be found again.
        guard !priority.isNaN else { return }
        let count = (priorities[priority] ?? 0) + change
        priorities[priority] = count > 0 ? count : nil
    }

    private mutating func updatePriority() {
        let highest = priorities.keys.max() ?? priority
        guard highest != priority else { return }
        priority = highest
        if phase == .started { effects.append(.prioritise(highest)) }
    }

    // MARK: The transfer

    mutating func start() {
        guard !wasStartCalled else { return }
        wasStartCalled = true
        switch phase {
        case .created:
            phase = .started
            effects.append(.start)
        case .ended, .delivered:
            // All callers left before the creator called `start()`; the hook is notified
            // nevertheless.
            effects.append(.report(.failure(.cancelled)))
        case .started:
            break
        }
    }

    /// Records the body that the request sent now asks to continue.
    mutating func resume(_ found: PartialBodies.Found?) {
        resumption.ask(for: found)
        redirects = []
    }

    /// Records that the request is sent; returns its number, or nil if it is not to be sent.
    mutating func send() -> Int? {
        guard phase == .started else { return nil }
        resumption.begin()
        sentCount += 1
        return sentCount
    }

    /// Records the transfer of a request.
    ///
    /// - Returns: Whether the transfer is the current one; false if the download has ended or has sent
    ///   another request.
    mutating func begin(_ transfer: any HTTPTransfer, of number: Int) -> Bool {
        guard !hasEnded, number == sentCount else { return false }
        self.transfer = transfer
        return true
    }

    /// Records a followed redirect.
    mutating func follow(_ redirect: TransferResponse) { redirects.append(redirect) }

    /// Receives the head of a response.
    ///
    /// - Parameters:
    ///   - response: The head.
    ///   - asksForPart: Whether the caller's request is for a part of the body.
    /// - Returns: The head to use; `nil` if the transfer must start over without the existing part.
    mutating func receive(_ response: TransferResponse, asksForPart: Bool) -> TransferResponse? {
        let (head, part) = resumption.receive(response, asksForPart: asksForPart)
        if let part {
            body = part
            body.own()
        }
        self.response = head
        return head
    }

    /// Whether the ended transfer must be followed by one for the whole body.
    mutating func takeStartOver(after error: TransferError?) -> Bool {
        let expected = response?.expectedLength
        guard phase == .started,
            resumption.startsOver(after: error, count: body.count, expected: expected)
        else { return false }
        response = nil
        // The bytes are also in the store.
        body = body.emptied()
        return true
    }

    /// The end of the interrupted body that was taken, once; nil if none was.
    mutating func takeTaken() -> ResumptionState.Taken? { resumption.takeTaken(response) }

    /// Records that the interrupted body that was taken is replaced or removed.
    mutating func dropTaken() { resumption.dropTaken() }

    /// Appends a piece of the body.
    ///
    /// - Parameters:
    ///   - chunk: The piece.
    ///   - limit: The maximum size of the body in bytes.
    ///   - spill: Makes the file for a large body.
    /// - Returns: Whether the download has ended because of it.
    mutating func receive(
        _ chunk: RawSpan,
        limit: Int,
        spill: (TransferResponse) throws(Errno) -> SpillFile
    ) -> Bool {
        guard phase == .started, let response else { return false }
        // The transport limits only the bytes it delivers, not those of an earlier part.
        guard body.count + chunk.byteCount <= limit else {
            return fail(.bodyTooLarge(limit: limit, url: response.url))
        }
        if body.count == 0 { body.expect(response.expectedLength ?? 0) }
        do throws(Errno) {
            try body.append(chunk) { () throws(Errno) in try spill(response) }
        } catch {
            return fail(.cannotKeepBody(reason: "\(error)", url: response.url))
        }
        if callers.values.contains(where: { $0.progress != nil }) {
            let listeners = callersInOrder.filter { $0.progress != nil }
            effects.append(.tell(progress, listeners))
        }
        return false
    }

    /// Stops the transfer because of an error that did not come from the transport.
    mutating func fail(_ error: TransferError) -> Bool {
        effects.append(.stop)
        return end(.failure(error))
    }

    /// Ends the download for all callers; returns `false` if it had ended before.
    mutating func end(_ error: TransferError?, _ metrics: TransferMetrics) -> Bool {
        resumption.end(hasConnected: metrics.hasConnected)
        guard !hasEnded else { return false }
        var metrics = metrics
        metrics.resumedBytes = resumption.bytes
        self.metrics = metrics
        if let error { return end(.failure(error)) }
        guard let response else {
            return end(
                .failure(.invalidRequest(reason: "the transport returned no response", url: nil))
            )
        }
        // Both parts together must be complete; a single part was checked by the transport.
        if resumption.isMadeOfParts, let expected = response.expectedLength, expected != body.count
        {
            let received = body.count
            let reason = "its parts have \(received) bytes together, and should have \(expected)"
            return end(
                .failure(
                    received < expected
                        ? .truncatedBody(received: received, expected: expected, url: response.url)
                        : .badResponse(reason: reason, url: response.url)
                )
            )
        }
        do throws(Errno) {
            let data = try body.finish()
            hasWhole = (200..<300).contains(response.statusCode)
            return end(
                .success(DownloadedBody(data: data, response: response, metrics: metrics))
            )
        } catch {
            return end(.failure(.cannotKeepBody(reason: "\(error)", url: response.url)))
        }
    }

    /// Ends the download with a result, whatever was received.
    mutating func end(_ result: Result<DownloadedBody, TransferError>) -> Bool {
        guard !hasEnded else { return false }
        let wasStarted = phase == .started
        phase = .ended
        guard wasStarted else { return deliver(result) }
        switch result {
        case .success:
            hasSucceeded = true
        case .failure(let error):
            if case .cancelled = error { effects.append(.stop) }
            noteInterruption(error)
        }
        effects.append(.report(result))
        return true
    }

    /// Delivers the result of the hook to the callers; returns `false` if they already have one.
    mutating func deliver(_ result: Result<DownloadedBody, TransferError>) -> Bool {
        guard phase == .ended else { return false }
        phase = .delivered
        if case .success(let body) = result {
            for (token, caller) in callers where caller.keepsBytes { keepers.insert(token) }
            if !keepers.isEmpty { kept = body }
        }
        effects.append(.finish(callersInOrder, result))
        if kept == nil { effects.append(.abandon) }
        callers = [:]
        return true
    }

    private mutating func noteInterruption(_ error: TransferError) {
        switch error {
        case .cancelled, .timedOut, .truncatedBody, .connectionLost, .curl:
            guard resumption.hasProgress(body.count), let response,
                let head = PartialHead(response, received: body.count)
            else { return }
            resumption.interrupted = InterruptedBody(body: body, head: head)
        default:
            break
        }
    }

    /// The bytes received so far; nil if they are in a file, which a later process finds by itself.
    var received: InterruptedBody? {
        guard !hasEnded, body.file == nil, let response,
            let head = PartialHead(response, received: body.count)
        else { return nil }
        return InterruptedBody(body: body, head: head)
    }

    /// Returns the interrupted body, once.
    mutating func takeInterrupted() -> InterruptedBody? {
        defer { resumption.interrupted = nil }
        return resumption.interrupted
    }

    mutating func takeHasWhole() -> Bool {
        defer { hasWhole = false }
        return hasWhole
    }

    // MARK: Effects

    /// Whether there are effects to perform.
    var hasEffects: Bool { !effects.isEmpty }

    /// Returns the next effect, unless another thread is performing effects.
    ///
    /// One thread at a time, so that callbacks are in order and none follows the end.
    mutating func nextEffect(resuming: Bool) -> Effect? {
        guard resuming || !isPerforming else { return nil }
        isPerforming = !effects.isEmpty
        return effects.isEmpty ? nil : effects.removeFirst()
    }
}

extension TransferMetrics {
    /// Whether the last request had a connection to its server.
    fileprivate var hasConnected: Bool { connectionReused || connect != nil }
}
