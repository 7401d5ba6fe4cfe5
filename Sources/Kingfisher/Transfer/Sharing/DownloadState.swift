import Foundation

/// The state of a shared download, as a value: its functions say what is to be done.
struct DownloadState {
    enum Phase {
        case created
        case started
        case ended
    }

    /// Something to do outside the lock, in order.
    enum Effect {
        case start(priority: Float)
        case stop
        case prioritise(Float)
        case tell(TransferProgress, [DownloadCaller])
        case announce(Result<DownloadedBody, TransferError>)
        case finish([DownloadCaller], Result<DownloadedBody, TransferError>)
    }

    private(set) var phase = Phase.created
    private var callers: [(token: Int, caller: DownloadCaller)] = []
    private var lastToken = 0
    private var priority: Float = 0
    private var wasStartCalled = false
    private var effects: [Effect] = []
    private var isPerforming = false

    var data = Data()
    var response: TransferResponse?
    var metrics: TransferMetrics?
    var transfer: (any HTTPTransfer)?

    var callerCount: Int { callers.count }

    var progress: TransferProgress {
        TransferProgress(received: data.count, expected: response?.expectedLength)
    }

    // MARK: Callers

    /// Adds a caller; `nil` if it is too late.
    mutating func join(_ caller: DownloadCaller) -> Int? {
        guard phase != .ended else { return nil }
        lastToken += 1
        callers.append((lastToken, caller))
        updatePriority()
        return lastToken
    }

    /// Withdraws a caller, who is told that it was cancelled.
    ///
    /// The last one ends the download. Returns whether it did.
    mutating func leave(_ token: Int) -> Bool {
        guard let index = callers.firstIndex(where: { $0.token == token }) else { return false }
        if callers.count == 1 { return end(.failure(.cancelled)) }
        let caller = callers.remove(at: index).caller
        effects.append(.finish([caller], .failure(.cancelled)))
        updatePriority()
        return false
    }

    mutating func prioritise(_ token: Int, _ priority: Float) {
        guard let index = callers.firstIndex(where: { $0.token == token }) else { return }
        callers[index].caller.priority = priority
        updatePriority()
    }

    private mutating func updatePriority() {
        let highest = callers.map(\.caller.priority).max() ?? priority
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
            effects.append(.start(priority: priority))
        case .ended:
            // All callers left while the creator announced it: it is told the end all the same.
            effects.append(.announce(.failure(.cancelled)))
        case .started:
            break
        }
    }

    mutating func receive(_ chunk: RawSpan) {
        guard phase == .started else { return }
        if data.isEmpty {
            // What a server announces is a hint: 4 MiB at most on its word.
            data.reserveCapacity(min(response?.expectedLength ?? 0, 4 << 20))
        }
        chunk.withUnsafeBytes { data.append(contentsOf: $0) }
        let listeners = callers.map(\.caller).filter { $0.progress != nil }
        if !listeners.isEmpty { effects.append(.tell(progress, listeners)) }
    }

    /// Ends the download for all callers; returns `false` if it had ended before.
    mutating func end(_ error: TransferError?, _ metrics: TransferMetrics) -> Bool {
        guard phase != .ended else { return false }
        self.metrics = metrics
        if let error { return end(.failure(error)) }
        guard let response else {
            return end(.failure(.invalidRequest(reason: "the transport gave no answer", url: nil)))
        }
        return end(.success(DownloadedBody(data: data, response: response, metrics: metrics)))
    }

    /// Ends the download with this result, whatever has arrived.
    mutating func end(_ result: Result<DownloadedBody, TransferError>) -> Bool {
        guard phase != .ended else { return false }
        if phase == .started {
            if case .failure(.cancelled) = result { effects.append(.stop) }
            effects.append(.announce(result))
        }
        phase = .ended
        effects.append(.finish(callers.map(\.caller), result))
        callers = []
        return true
    }

    // MARK: Effects

    /// Takes the next effect, unless another thread is performing them.
    ///
    /// One thread at a time: what callers are told is in order, and nothing follows the end.
    mutating func nextEffect(resuming: Bool) -> Effect? {
        guard resuming || !isPerforming else { return nil }
        isPerforming = !effects.isEmpty
        return effects.isEmpty ? nil : effects.removeFirst()
    }
}
