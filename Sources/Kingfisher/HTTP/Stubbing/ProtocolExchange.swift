import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transfer performed by `URLProtocol` classes, with one object for each hop.
///
/// Their events may arrive on any thread. They are delivered one at a time and in order, and wait
/// while the handler has an open question or the transfer is paused. A redirect to a URL that no
/// class accepts continues with the network transport.
final class ProtocolExchange: HTTPTransfer {
    enum Event {
        case redirect(URLRequest, TransferResponse)
        case response(TransferResponse)
        case data(Data)
        case end(TransferError?)
    }

    private struct State {
        var hop: ProtocolHop?
        var network: (any HTTPTransfer)?
        var pending: [Event] = []
        var isAsking = false
        var isPaused = false
        var isCancelled = false
        var hasEnded = false
        /// Counts events, so that a timer can detect inactivity.
        var activity = 0
        var metrics = TransferMetrics()
    }

    private let url: URL
    private let settings: TransferSettings
    private let handler: any HTTPTransferHandler
    private let routes: RoutedTransport
    private let queue = DispatchQueue(label: "com.onevcat.Kingfisher.URLProtocol")
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(
        url: URL,
        settings: TransferSettings,
        handler: any HTTPTransferHandler,
        routes: RoutedTransport
    ) {
        self.url = url
        self.settings = settings
        self.handler = handler
        self.routes = routes
    }

    func begin(_ request: URLRequest, by type: URLProtocol.Type) {
        load(request, by: type)
        watch(settings.idleTimeout, .idle)
        if let total = settings.totalTimeout { watch(total, .total) }
    }

    /// Begins a hop with a class that accepts its request.
    private func load(_ request: URLRequest, by type: URLProtocol.Type) {
        let hop = ProtocolHop(request, by: type) { [self] hop, event in receive(event, from: hop) }
        state.withLock { state in
            state.hop = hop
            state.activity += 1
        }
        hop.start()
    }

    // MARK: HTTPTransfer

    func cancel() {
        let network = state.withLock { state in
            state.isCancelled = true
            return state.network
        }
        network?.cancel()
        queue.async { self.finish(.cancelled) }
    }

    func pause() {
        state.withLock { $0.isPaused = true }
        state.withLock { $0.network }?.pause()
    }

    func resume() {
        state.withLock { $0.isPaused = false }
        state.withLock { $0.network }?.resume()
        queue.async { self.pump() }
    }

    func setPriority(_ priority: Float) { state.withLock { $0.network }?.setPriority(priority) }

    // MARK: Events

    private func receive(_ event: Event, from hop: ProtocolHop) {
        let isCurrent = state.withLock { state in
            // Later events of a redirected hop are ignored.
            guard state.hop === hop, !state.hasEnded else { return false }
            state.activity += 1
            state.pending.append(event)
            return true
        }
        if isCurrent { queue.async { self.pump() } }
    }

    /// Delivers pending events until the handler is asked a question.
    ///
    /// Runs on `queue`.
    private func pump() {
        while let event = nextEvent() {
            switch event {
            case .redirect(let request, let response): redirect(to: request, response)
            case .response(let response): ask(about: response)
            case .data(let data): deliver(data)
            case .end(let error): finish(error)
            }
        }
    }

    private func nextEvent() -> Event? {
        state.withLock { state in
            let isReady = !state.isAsking && !state.isPaused && !state.isCancelled
            guard isReady, !state.hasEnded, !state.pending.isEmpty else { return nil }
            let event = state.pending.removeFirst()
            switch event {
            case .redirect, .response: state.isAsking = true
            case .data, .end: break
            }
            return event
        }
    }

    private func answered() {
        state.withLock { $0.isAsking = false }
        queue.async { self.pump() }
    }

    private func redirect(to request: URLRequest, _ response: TransferResponse) {
        let count = state.withLock { state in
            state.metrics.redirectCount += 1
            return state.metrics.redirectCount
        }
        guard count <= settings.maxRedirects else {
            return finish(.tooManyRedirects(limit: settings.maxRedirects, url: response.url))
        }
        do {
            guard let target = request.url else {
                throw TransferError.invalidRequest(reason: "it has no URL", url: response.url)
            }
            try RedirectRules(settings: settings).check(target, from: response.url)
        } catch {
            return finish(error as? TransferError ?? .rejected(reason: error, url: response.url))
        }
        let reply = OnceCompletion<URLRequest?> { [self] next in
            queue.async { self.follow(next, from: response) }
        }
        handler.transfer(self, willRedirect: response, to: request) { reply($0) }
    }

    private func follow(_ next: URLRequest?, from response: TransferResponse) {
        guard let next else {
            state.withLock { $0.pending = [.response(response), .end(nil)] }
            return answered()
        }
        let (previous, isOver) = state.withLock { state in
            defer { state.hop = nil }
            state.pending = []
            state.isAsking = false
            return (state.hop, state.isCancelled || state.hasEnded)
        }
        previous?.stop()
        guard !isOver else { return }
        if let type = routes.protocolClass(for: next) { return load(next, by: type) }
        let network = routes.network
        let relay = TransferRelay(to: handler, as: self, keeping: network)
        let transfer = network.start(next, settings: settings, handler: relay)
        let (isCancelled, isPaused) = state.withLock { state in
            state.network = transfer
            return (state.isCancelled, state.isPaused)
        }
        // Both may have been requested before the transfer existed.
        if isPaused { transfer.pause() }
        if isCancelled { transfer.cancel() }
    }

    private func ask(about response: TransferResponse) {
        state.withLock { $0.metrics.statusCode = response.statusCode }
        let reply = OnceCompletion<TransferDisposition> { [self] disposition in
            queue.async { self.obey(disposition, response) }
        }
        handler.transfer(self, didReceive: response) { reply($0) }
    }

    private func obey(_ disposition: TransferDisposition, _ response: TransferResponse) {
        switch disposition {
        case .allow where (response.expectedLength ?? 0) > settings.maxBodyBytes:
            finish(.bodyTooLarge(limit: settings.maxBodyBytes, url: response.url))
        case .allow: answered()
        case .cancel: finish(.cancelled)
        case .reject(let reason): finish(.rejected(reason: reason, url: response.url))
        }
    }

    private func deliver(_ data: Data) {
        let received = state.withLock { state in
            state.metrics.bytes += data.count
            return state.metrics.bytes
        }
        guard received <= settings.maxBodyBytes else {
            return finish(.bodyTooLarge(limit: settings.maxBodyBytes, url: url))
        }
        handler.transfer(self, didReceive: data.bytes)
    }

    /// Reports the end once and stops the class.
    ///
    /// Runs on `queue`.
    private func finish(_ error: TransferError?) {
        let end = state.withLock { state -> (hop: ProtocolHop?, metrics: TransferMetrics)? in
            guard !state.hasEnded, state.network == nil else { return nil }
            state.hasEnded = true
            state.pending = []
            state.metrics.total = .now - start
            defer { state.hop = nil }
            return (state.hop, state.metrics)
        }
        guard let end else { return }
        end.hop?.stop()
        handler.transfer(self, didFinish: error, metrics: end.metrics)
    }

    // MARK: Time-outs

    /// Ends the transfer after `limit`: of inactivity for `.idle`, in total for `.total`.
    private func watch(_ limit: Duration, _ phase: TransferError.Phase) {
        let seen = state.withLock { $0.activity }
        queue.asyncAfter(deadline: .now() + limit.inSeconds) { [weak self] in
            guard let self else { return }
            let (isOver, isDue) = state.withLock { state in
                let isWaiting = !state.isAsking && !state.isPaused && state.activity == seen
                return (state.hasEnded || state.network != nil, phase == .total || isWaiting)
            }
            guard !isOver else { return }
            if isDue { return finish(.timedOut(phase, limit: limit, url: url)) }
            watch(limit, phase)
        }
    }
}
