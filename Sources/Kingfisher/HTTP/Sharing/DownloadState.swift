import Foundation
import SystemPackage

/// The state of a shared download, as a value: its functions say what is to be done.
struct DownloadState {
    enum Phase {
        case created
        case started
        /// The transfer is over, and the hook has its result.
        case ended
        /// The callers have the result.
        case delivered
    }

    /// Something to do outside the lock, in order.
    enum Effect {
        case start
        case stop
        case prioritise(Float)
        case tell(TransferProgress, [DownloadCaller])
        case announce(Result<DownloadedBody, TransferError>)
        case finish([DownloadCaller], Result<DownloadedBody, TransferError>)
        case abandon
    }

    private(set) var phase = Phase.created
    private var callers: [Int: DownloadCaller] = [:]
    /// How many callers have a priority; few differ.
    private var priorities: [Float: Int] = [:]
    private var lastToken = 0
    /// The callers who keep the bytes that they got.
    private var keepers: Set<Int> = []
    /// The bytes that callers keep.
    private(set) var kept: DownloadedBody?
    /// Whether the transfer ended with a whole body.
    private var hasSucceeded = false
    /// See ``SharedDownload/face(orMake:)``.
    var face: (any AnyObject & Sendable)?
    private var priority: Float = 0
    private var wasStartCalled = false
    private var effects: [Effect] = []
    private var isPerforming = false

    private(set) var body: BodyBuffer
    private(set) var redirects: [TransferResponse] = []
    private(set) var response: TransferResponse?
    private(set) var metrics: TransferMetrics?
    var transfer: (any HTTPTransfer)?

    // Going on with an interrupted body: what was asked to be continued, and what came of it.
    private var resuming: PartialBodies.Found?
    private var resumedBytes = 0
    private var startsOver = false
    private var interrupted: Interrupted?
    /// Whether the whole body came: what was kept of it is of no use any more.
    private var hasWhole = false

    /// A body that broke off, and that a later request may go on with.
    struct Interrupted {
        let body: BodyBuffer
        let head: PartialHead
    }

    /// The highest of the callers' priorities.
    var currentPriority: Float { priority }

    init(maxBodyBytesInMemory: Int, pool: BodyPool? = nil) {
        body = BodyBuffer(threshold: maxBodyBytesInMemory, pool: pool)
        // The start, and the end for the hooks and the callers.
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

    var wishes: [any Sendable] { callers.values.compactMap(\.wish) }

    var hasEnded: Bool { phase == .ended || phase == .delivered }

    /// Whether the bytes are there for those who join late.
    var isKept: Bool {
        kept != nil
            || phase == .ended && hasSucceeded && callers.values.contains(where: \.keepsBytes)
    }

    /// Adds a caller; `nil` if it is too late.
    mutating func join(_ caller: DownloadCaller, acceptsFinished: Bool) -> Int? {
        guard !hasEnded || acceptsFinished && isKept else { return nil }
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

    /// Withdraws a caller, who is told that it was cancelled unless it has its bytes.
    ///
    /// The last one ends the download, or gives its bytes up. Returns whether it did.
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
        // NaN is not equal to itself, so it would not be found again.
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
            // All callers left while the creator announced it: it is told the end all the same.
            effects.append(.announce(.failure(.cancelled)))
        case .started:
            break
        }
    }

    /// Notes what the request that is sent now asks to be continued.
    mutating func resume(_ found: PartialBodies.Found?) {
        resuming = found
        redirects = []
    }

    /// Notes a redirect that is followed.
    mutating func follow(_ redirect: TransferResponse) { redirects.append(redirect) }

    /// Takes the head of an answer.
    ///
    /// - Returns: The head that counts; `nil` if the transfer must start over, without the part
    ///   that is there.
    mutating func receive(_ response: TransferResponse) -> TransferResponse? {
        let found = resuming
        resuming = nil
        self.response = response
        guard let found else { return response }
        switch ResumedAnswer(response, after: found.head) {
        case .independent:
            break
        case .rest(let whole):
            body = found.body
            body.own()
            resumedBytes = body.count
            self.response = whole
        case .useless:
            self.response = nil
            startsOver = true
        }
        return self.response
    }

    /// Whether the transfer that ended now is to be followed by one from the beginning.
    mutating func takeStartOver() -> Bool {
        defer { startsOver = false }
        return startsOver && phase == .started
    }

    /// Adds a piece of the body.
    ///
    /// - Parameters:
    ///   - chunk: The piece.
    ///   - limit: The most that the body may have.
    ///   - spill: Makes the file for a large body.
    /// - Returns: Whether that ended the download.
    mutating func receive(
        _ chunk: RawSpan,
        limit: Int,
        spill: (TransferResponse) throws(Errno) -> SpillFile
    ) -> Bool {
        guard phase == .started, let response else { return false }
        // The transport counts what it delivers itself: not what was there before.
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

    /// Stops the transfer, for a reason that the transport does not know.
    mutating func fail(_ error: TransferError) -> Bool {
        effects.append(.stop)
        return end(.failure(error))
    }

    /// Ends the download for all callers; returns `false` if it had ended before.
    mutating func end(_ error: TransferError?, _ metrics: TransferMetrics) -> Bool {
        guard !hasEnded else { return false }
        var metrics = metrics
        metrics.resumedBytes = resumedBytes
        self.metrics = metrics
        if let error { return end(.failure(error)) }
        guard let response else {
            return end(.failure(.invalidRequest(reason: "the transport gave no answer", url: nil)))
        }
        // Two parts must make a whole; of one part the transport has seen to it.
        if resumedBytes > 0, let expected = response.expectedLength, expected != body.count {
            let received = body.count
            return end(
                .failure(
                    .truncatedBody(received: received, expected: expected, url: response.url)
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

    /// Ends the download with this result, whatever has arrived.
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
        effects.append(.announce(result))
        return true
    }

    /// Gives the callers what the hook made of the result; returns `false` if they have one.
    mutating func deliver(_ result: Result<DownloadedBody, TransferError>) -> Bool {
        guard phase == .ended else { return false }
        phase = .delivered
        if case .success(let body) = result {
            keepers = Set(callers.filter(\.value.keepsBytes).keys)
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
            guard let response, let head = PartialHead(response, received: body.count) else {
                return
            }
            interrupted = Interrupted(body: body, head: head)
        default:
            break
        }
    }

    /// Takes what came of a body that broke off, once.
    mutating func takeInterrupted() -> Interrupted? {
        defer { interrupted = nil }
        return interrupted
    }

    mutating func takeHasWhole() -> Bool {
        defer { hasWhole = false }
        return hasWhole
    }

    // MARK: Effects

    /// Whether there is something to perform.
    var hasEffects: Bool { !effects.isEmpty }

    /// Takes the next effect, unless another thread is performing them.
    ///
    /// One thread at a time: what callers are told is in order, and nothing follows the end.
    mutating func nextEffect(resuming: Bool) -> Effect? {
        guard resuming || !isPerforming else { return nil }
        isPerforming = !effects.isEmpty
        return effects.isEmpty ? nil : effects.removeFirst()
    }
}
