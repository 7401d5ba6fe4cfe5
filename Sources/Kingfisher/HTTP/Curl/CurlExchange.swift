import CCurl
import CCurlShim
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One transfer on the loop's thread: a chain of requests ("hops") that ends with one answer.
///
/// The state machine is here, its effects on libcurl's handles are ``CurlLoop``'s. Only the loop's
/// thread touches it.
final class CurlExchange {
    /// Where the current hop stands.
    enum Hop {
        /// The head has not arrived.
        case head
        /// A 401 that libcurl may still answer by itself (the first round of Digest).
        case tentative(TransferResponse)
        /// The handler thinks about it.
        case asking(CurlQuestion)
        /// The body goes to the handler.
        case delivering
        /// The body is read away, so that the connection can be used again.
        case discarding
        /// Nothing more is wanted; ``CurlExchange/failure`` says why.
        case stopped
    }

    /// Bodies of redirects and challenges are read up to this size; beyond it a new connection is
    /// cheaper than the rest.
    static let maxDiscardedBytes = 64 << 10

    let id: UInt64
    let transfer: CurlTransfer
    let handler: any HTTPTransferHandler
    let settings: TransferSettings
    let startTime: ContinuousClock.Instant
    private let clock: CurlClock
    private(set) var request: URLRequest
    private(set) var url: URL
    var priority: Float

    // The current hop.
    var hop = Hop.head
    var head = CurlHead()
    var handle: UnsafeMutableRawPointer?
    /// The head of the hop's answer, once it is complete.
    var response: TransferResponse?
    /// libcurl's verdict, kept while the handler thinks.
    var hopResult: CURLcode?
    var discarded = 0
    /// libcurl holds data back because a callback said so.
    var isHeldBack = false
    /// What OpenSSL found wrong with the server's certificate, as an `X509_V_ERR`; 0 for nothing.
    var certificateError = 0
    /// The `errno` of the last failed system call of the hop, 0 for none.
    var systemError: Int32 = 0
    var refusedAddress: (text: String, range: AddressRange)?
    /// Where libcurl writes its words; made with the first handle, as thousands may wait for one.
    private(set) lazy var errorText: UnsafeMutablePointer<CChar> = {
        hasErrorText = true
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        text.initialize(to: 0)
        return text
    }()
    private var hasErrorText = false
    var headerList: UnsafeMutablePointer<curl_slist>?
    var isWaitingForConnection = true
    private(set) var hopOrigin: String
    /// From where on the speed of the body is measured.
    private(set) var measured: (from: ContinuousClock.Instant, wireBytes: Int)?

    // The whole transfer.
    var trust = CurlTrustState()
    var metrics = TransferMetrics()
    var failure: TransferError?
    var queueTime: ContinuousClock.Instant
    var lastActivity: ContinuousClock.Instant
    var credential: (TransferCredential, TransferChallenge.Scheme)?
    private(set) var nextRequest: URLRequest?
    private var failedCredentials = 0
    private var visited: Set<String> = []
    private(set) var questionNumber = 0

    init(_ order: CurlOrder, url: URL, origin: String, clock: CurlClock) {
        self.clock = clock
        id = order.transfer.id
        transfer = order.transfer
        handler = order.handler
        settings = order.settings
        startTime = order.time
        queueTime = order.time
        lastActivity = order.time
        priority = Self.usable(order.settings.priority)
        var request = order.request
        for (name, value) in order.settings.extraHeaders
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        self.request = request
        self.url = url
        hopOrigin = origin
    }

    /// A priority that can be compared.
    static func usable(_ priority: Float) -> Float { priority.isNaN ? 0.5 : priority }

    deinit {
        if hasErrorText { errorText.deallocate() }
    }

    /// Makes the hop that was decided on the current one.
    func beginNextHop(at time: ContinuousClock.Instant) {
        if let next = nextRequest, let target = next.url {
            if !target.hasSameOrigin(as: url) { credential = nil }
            request = next
            url = target
            hopOrigin = target.origin
        }
        nextRequest = nil
        hop = .head
        head = CurlHead()
        response = nil
        hopResult = nil
        discarded = 0
        isHeldBack = false
        measured = nil
        isWaitingForConnection = true
        queueTime = time
    }

    // MARK: What the answer's head leads to

    /// Reads one line of a head.
    ///
    /// - Returns: Whether to go on.
    func receiveHeadLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        // The first line is a sign of life, and the last; those between could go on for days.
        if head.isEmpty { touch() }
        switch head.take(line) {
        case .more:
            return true
        case .tooLarge:
            fail(
                .badResponse(reason: "its head is larger than \(CurlHead.maxBytes) bytes", url: url)
            )
        case .complete:
            headIsComplete()
        }
        if case .stopped = hop { return false }
        return true
    }

    private func headIsComplete() {
        let response = TransferResponse(
            url: url,
            statusCode: head.statusCode,
            httpVersion: head.httpVersion,
            fields: head.fields
        )
        touch()
        let isFirst = self.response == nil
        self.response = response
        metrics.statusCode = response.statusCode
        if let reason = ContentCoding.refusal(of: response) ?? Self.lengthRefusal(of: response) {
            return fail(.badResponse(reason: reason, url: url))
        }
        if isFirst, response.statusCode == 401, credential?.1 == .digest {
            hop = .tentative(response)
        } else {
            consider(response)
        }
    }

    /// libcurl reads the digits that a length begins with, and of several lengths one.
    private static func lengthRefusal(of response: TransferResponse) -> String? {
        guard let text = response.value(for: "Content-Length") else { return nil }
        let lengths = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { HTTPSyntax.number($0.drop { $0 == " " }) }
        guard let first = lengths[0], lengths.allSatisfy({ $0 == first }) else {
            return "its length is “\(text)”"
        }
        return nil
    }

    /// Decides what an answer is: a redirect, a challenge or the end of the chain.
    func consider(_ response: TransferResponse) {
        do throws(TransferError) {
            let rules = RedirectRules(settings: settings)
            if let next = try rules.next(after: request, response) {
                return ask(.redirect(response, next: next))
            }
        } catch {
            return fail(error)
        }
        let failures = failedCredentials + (credential == nil ? 0 : 1)
        if let challenge = TransferChallenge(response, previousFailureCount: failures) {
            return ask(.challenge(challenge))
        }
        ask(.response(response))
    }

    func ask(_ question: CurlQuestion) {
        guard !transfer.isCancelled else { return fail(.cancelled) }
        questionNumber += 1
        hop = .asking(question)
        let reply = CurlReply(transfer: transfer, number: questionNumber)
        switch question {
        case .redirect(let response, let next):
            handler.transfer(transfer, willRedirect: response, to: next) {
                reply.give(.redirect($0))
            }
        case .challenge(let challenge):
            handler.transfer(transfer, didReceive: challenge) { reply.give(.credential($0)) }
        case .response(let response):
            handler.transfer(transfer, didReceive: response) { reply.give(.disposition($0)) }
        case .trust(let trust):
            handler.transfer(transfer, didReceive: trust) { reply.give(.trust($0)) }
        }
        if let answer = reply.takeOrWait() { accept(answer) }
    }

    /// Goes the way that the handler chose.
    func accept(_ answer: CurlAnswer) {
        guard case .asking(let question) = hop else { return }
        switch (question, answer) {
        case (.redirect(let response, _), .redirect(let next?)):
            follow(next, from: response)
        case (.challenge(let challenge), .credential(let credential?)):
            if self.credential != nil { failedCredentials += 1 }
            self.credential = (credential, challenge.scheme)
            beginBody(.discarding)
        case (.response(let response), .disposition(let disposition)):
            obey(disposition, response)
        case (.trust(let trust), .trust(let decision)):
            decide(decision, about: trust)
        default:
            if let response = question.response { ask(.response(response)) }
        }
    }

    private func follow(_ next: URLRequest, from response: TransferResponse) {
        guard let target = next.url else {
            return fail(.invalidRequest(reason: "the redirect handler removed its URL", url: url))
        }
        do throws(TransferError) {
            try RedirectRules(settings: settings).check(target, from: url)
        } catch {
            return fail(error)
        }
        guard metrics.redirectCount < settings.maxRedirects else {
            return fail(.tooManyRedirects(limit: settings.maxRedirects, url: url))
        }
        visited.insert(Self.visitKey(request))
        guard !visited.contains(Self.visitKey(next)) else {
            return fail(.redirectLoop(url: target))
        }
        metrics.redirectCount += 1
        nextRequest = next
        beginBody(.discarding)
    }

    private static func visitKey(_ request: URLRequest) -> String {
        let text = request.url?.absoluteString ?? ""
        let path = text.prefix { $0 != "#" }
        return "\(request.httpMethod ?? "GET") \(path)"
    }

    private func obey(_ disposition: TransferDisposition, _ response: TransferResponse) {
        switch disposition {
        case .cancel:
            fail(.cancelled)
        case .reject(let reason):
            fail(.rejected(reason: reason, url: response.url))
        case .allow:
            let declared =
                response.firstValue(for: "Content-Length").flatMap(HTTPSyntax.number) ?? 0
            guard declared <= settings.maxBodyBytes || request.httpMethod == "HEAD" else {
                return fail(.bodyTooLarge(limit: settings.maxBodyBytes, url: url))
            }
            beginBody(.delivering)
        }
    }

    private func beginBody(_ next: Hop) {
        hop = next
        measureSpeed()
    }

    /// Notes that the server has given a sign of life.
    func touch() { lastActivity = clock.now }

    /// Measures the speed of the body from now on.
    func measureSpeed() { measured = (clock.now, wireBytes) }

    /// Bytes of the hop's body so far, before decoding.
    private var wireBytes: Int {
        var count: curl_off_t = 0
        if let handle { kf_curl_getinfo_off(handle, CURLINFO_SIZE_DOWNLOAD_T, &count) }
        return Int(count)
    }

    /// Whether less of the body has come since ``measured`` than must come in an idle time-out.
    var isTooSlow: Bool {
        guard let measured else { return false }
        let fewest = Double(settings.minimumSpeed) * settings.idleTimeout.inSeconds
        return Double(wireBytes - measured.wireBytes) < fewest
    }

    /// Ends the hop with an error; the first one counts.
    func fail(_ error: TransferError) {
        if failure == nil { failure = error }
        hop = .stopped
    }
}
