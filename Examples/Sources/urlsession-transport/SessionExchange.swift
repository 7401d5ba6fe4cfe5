import Foundation
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One transfer: converts the session's events to those of an `HTTPTransferHandler`.
///
/// The handler may answer questions later: data that arrives before the answer or during a pause is
/// kept and then delivered in order. The task itself is never suspended, because on Linux a resumed
/// task starts over and delivers its body twice. The sender can therefore not be slowed down, and a
/// pause during which more than ``maxHeldBytes`` arrive ends the transfer with an error.
final class SessionExchange: HTTPTransfer {
    private enum Event {
        case chunk(Data)
        case end(TransferError?)
    }

    private struct State {
        var task: URLSessionDataTask?
        var isCancelled = false
        var isPaused = false
        /// A question about the response headers is pending.
        var isAsking = false
        var hasEnded = false
        var waiting: [Event] = []
        var heldBytes = 0
        var received = 0
        /// A 401 response that may be followed by a challenge, which Foundation reports later.
        var refusal: TransferResponse?
        var metrics = TransferMetrics()
        var response: TransferResponse?
    }

    /// The largest number of bytes kept while the handler does not accept any.
    static let maxHeldBytes = 16 << 20

    let request: URLRequest
    private let settings: TransferSettings
    private let handler: any HTTPTransferHandler
    private let queue: OperationQueue
    private let startTime = ContinuousClock.now
    private let state = Mutex(State())

    init(
        _ request: URLRequest,
        _ settings: TransferSettings,
        _ handler: any HTTPTransferHandler,
        queue: OperationQueue
    ) {
        self.request = request
        self.settings = settings
        self.handler = handler
        self.queue = queue
    }

    /// Why the request cannot be sent; nil if it can.
    var refusal: TransferError? {
        guard let url = request.url else {
            return .invalidRequest(reason: "it has no URL", url: nil)
        }
        let scheme = url.scheme?.lowercased() ?? ""
        guard ["http", "https"].contains(scheme) else {
            return .unsupportedScheme(scheme, url: url)
        }
        guard url.host?.isEmpty == false else {
            return .invalidRequest(reason: "its URL names no host", url: url)
        }
        guard settings.addressPolicy == .unrestricted else {
            return .invalidRequest(reason: "URLSession cannot guard addresses", url: url)
        }
        return nil
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    private var isCancelled: Bool { state.withLock { $0.isCancelled } }
    private var url: URL { request.url ?? URL(fileURLWithPath: "/") }

    func begin(_ task: URLSessionDataTask) {
        state.withLock { $0.task = task }
        task.resume()
    }

    // MARK: HTTPTransfer

    func cancel() {
        let isFirst = state.withLock { state in
            defer { state.isCancelled = true }
            return !state.isCancelled
        }
        // On the session's queue: Foundation traps if a task ends and is cancelled at the same
        // moment.
        if isFirst { queue.addOperation { self.finish(.cancelled) } }
    }

    func pause() { state.withLock { $0.isPaused = true } }

    func resume() {
        state.withLock { $0.isPaused = false }
        queue.addOperation { self.deliver() }
    }

    func setPriority(_ priority: Float) {}

    // MARK: The session's events

    func redirect(
        _ response: HTTPURLResponse,
        to next: URLRequest,
        _ answer: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A cancelled task gets no answer: Foundation traps if it receives one.
        guard let target = next.url, !isCancelled, !hasEnded else { return }
        let count = state.withLock { state in
            state.metrics.redirectCount += 1
            return state.metrics.redirectCount
        }
        guard count <= settings.maxRedirects else {
            return finish(.tooManyRedirects(limit: settings.maxRedirects, url: url))
        }
        guard settings.redirectSchemes.contains(target.scheme?.lowercased() ?? "") else {
            return finish(.redirectRefused(target: target.absoluteString, url: url))
        }
        let once = Once<URLRequest?> { request in
            self.queue.addOperation { if !self.hasEnded { answer(request) } }
        }
        let head = TransferResponse(response, fallback: url)
        handler.transfer(self, willRedirect: head, to: next) { once.call($0) }
    }

    func challenge(
        _ challenge: URLAuthenticationChallenge,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        let schemes: [String: TransferChallenge.Scheme] = [
            NSURLAuthenticationMethodHTTPBasic: .basic,
            NSURLAuthenticationMethodHTTPDigest: .digest,
        ]
        guard !isCancelled, !hasEnded else { return }
        guard let scheme = schemes[space.authenticationMethod],
            let response = state.withLock({ $0.refusal })
        else { return answer(.performDefaultHandling, nil) }
        let question = TransferChallenge(
            host: space.host,
            port: space.port,
            urlScheme: space.`protocol` ?? "",
            scheme: scheme,
            realm: space.realm,
            previousFailureCount: challenge.previousFailureCount,
            response: response
        )
        let once = Once<TransferCredential?> { credential in
            let credential = credential.map {
                URLCredential(user: $0.user, password: $0.password, persistence: .none)
            }
            self.queue.addOperation {
                guard !self.hasEnded else { return }
                if credential != nil { self.forgetRefusal() }
                answer(credential == nil ? .performDefaultHandling : .useCredential, credential)
            }
        }
        handler.transfer(self, didReceive: question) { once.call($0) }
    }

    func respond(_ response: URLResponse) {
        guard !isCancelled, !hasEnded else { return }
        guard let response = response as? HTTPURLResponse else {
            return finish(.badResponse(reason: "it is not HTTP", url: url))
        }
        let head = TransferResponse(response, fallback: url)
        guard head.statusCode != 401 else {
            return state.withLock { state in
                state.refusal = head
                state.isAsking = true
            }
        }
        ask(about: head)
    }

    private func forgetRefusal() {
        state.withLock { state in
            state.refusal = nil
            state.isAsking = false
            state.waiting = []
            state.heldBytes = 0
            state.received = 0
        }
    }

    private func ask(about head: TransferResponse) {
        state.withLock { state in
            state.refusal = nil
            state.response = head
            state.isAsking = true
            state.metrics.statusCode = head.statusCode
        }
        let once = Once<TransferDisposition> { disposition in
            self.queue.addOperation { self.obey(disposition, head) }
        }
        handler.transfer(self, didReceive: head) { once.call($0) }
    }

    private func obey(_ disposition: TransferDisposition, _ head: TransferResponse) {
        state.withLock { $0.isAsking = false }
        switch disposition {
        case .cancel: finish(.cancelled)
        case .reject(let reason): finish(.rejected(reason: reason, url: head.url))
        case .allow:
            let isTooLarge = (head.expectedLength ?? 0) > settings.maxBodyBytes
            guard !isTooLarge || request.httpMethod == "HEAD" else {
                return finish(.bodyTooLarge(limit: settings.maxBodyBytes, url: url))
            }
            deliver()
        }
    }

    func receive(_ data: Data) {
        let received = state.withLock { state in
            state.waiting.append(.chunk(data))
            state.heldBytes += data.count
            state.received += data.count
            return state.received
        }
        guard received <= settings.maxBodyBytes else {
            return finish(.bodyTooLarge(limit: settings.maxBodyBytes, url: url))
        }
        deliver()
        guard state.withLock({ $0.heldBytes }) > Self.maxHeldBytes else { return }
        let reason = "more than \(Self.maxHeldBytes >> 20) MiB came during a pause"
        finish(.cannotKeepBody(reason: reason, url: url))
    }

    func complete(_ error: (any Error)?) {
        let expected = state.withLock { $0.response?.expectedLength }
        let received = state.withLock { $0.received }
        let end = error.map {
            TransferError($0, url: url, settings, received: received, expected: expected)
        }
        // An error is reported at once; a regular end is queued after the body.
        if let end { return finish(end) }
        state.withLock { $0.waiting.append(.end(nil)) }
        if let refusal = state.withLock({ $0.refusal }) { ask(about: refusal) }
        deliver()
    }

    func runOutOfTime(_ limit: Duration) { finish(.timedOut(.total, limit: limit, url: url)) }

    // MARK: The handler

    /// Delivers queued events while the handler accepts them.
    private func deliver() {
        while let event = nextEvent() {
            switch event {
            case .end(let error): finish(error)
            case .chunk(let data):
                state.withLock { state in
                    state.heldBytes -= data.count
                    state.metrics.bytes += data.count
                }
                handler.transfer(self, didReceive: data.bytes)
            }
        }
    }

    private func nextEvent() -> Event? {
        state.withLock { state in
            let isReady = !state.isAsking && !state.isPaused && !state.isCancelled
            guard isReady, !state.hasEnded, !state.waiting.isEmpty else { return nil }
            return state.waiting.removeFirst()
        }
    }

    /// Reports the end, once, and stops the task.
    func finish(_ error: TransferError?) {
        let end = state.withLock { state -> (task: URLSessionDataTask?, TransferMetrics)? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            state.waiting = []
            state.metrics.total = .now - startTime
            defer { state.task = nil }
            return (state.task, state.metrics)
        }
        guard let (task, metrics) = end else { return }
        if error != nil { task?.cancel() }
        handler.transfer(self, didFinish: error, metrics: metrics)
    }
}

/// Forwards only the first of several calls.
private final class Once<Value>: Sendable {
    private let target: Mutex<(@Sendable (Value) -> Void)?>

    init(_ target: @escaping @Sendable (Value) -> Void) { self.target = Mutex(target) }

    func call(_ value: Value) {
        let target = target.withLock { target in
            defer { target = nil }
            return target
        }
        target?(value)
    }
}
