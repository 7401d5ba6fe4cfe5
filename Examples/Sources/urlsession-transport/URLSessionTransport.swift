import Foundation
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Performs downloads with Foundation's `URLSession`.
///
/// An example for custom transports, and useful if an app must use a particular session. It has the
/// limitations of `URLSession` on Linux: no priorities, no HTTP/2, no timings, no back-pressure, no
/// addresses, and no decisions about certificates. A transfer whose address policy forbids anything
/// is rejected instead of being sent unchecked, and one that is paused while much data arrives ends
/// with an error.
final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let events: SessionEvents

    init(configuration: URLSessionConfiguration = .ephemeral) {
        // With a URL cache, Foundation sometimes traps when a task is cancelled.
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        events = SessionEvents(queue: queue)
        session = URLSession(configuration: configuration, delegate: events, delegateQueue: queue)
    }

    deinit {
        events.cancelAll()
        session.finishTasksAndInvalidate()
    }

    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        var request = request
        for (name, value) in settings.extraHeaders
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        request.timeoutInterval = settings.idleTimeout / .seconds(1)
        let exchange = SessionExchange(request, settings, handler, queue: events.queue)
        events.queue.addOperation { [session, events] in
            if let error = exchange.refusal { return exchange.finish(error) }
            guard !exchange.hasEnded else { return }
            events.begin(exchange, with: session.dataTask(with: exchange.request))
        }
        if let limit = settings.totalTimeout {
            let queue = events.queue
            DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) {
                [weak exchange] in
                guard let exchange else { return }
                queue.addOperation { exchange.runOutOfTime(limit) }
            }
        }
        return exchange
    }
}

/// Forwards the events of a session to their exchanges.
///
/// All methods run on the session's serial queue.
final class SessionEvents: NSObject, URLSessionDataDelegate {
    let queue: OperationQueue
    private let exchanges = Mutex<[Int: SessionExchange]>([:])

    init(queue: OperationQueue) { self.queue = queue }

    func begin(_ exchange: SessionExchange, with task: URLSessionDataTask) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
        exchange.begin(task)
    }

    func cancelAll() {
        for exchange in exchanges.withLock({ Array($0.values) }) { exchange.cancel() }
    }

    private func exchange(_ task: URLSessionTask) -> SessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange(task)?.redirect(response, to: request, completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        exchange(task)?.challenge(challenge, completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // On Linux the answer is ignored, even a rejection; the exchange holds back later data.
        completionHandler(.allow)
        exchange(dataTask)?.respond(response)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.complete(error)
    }
}
