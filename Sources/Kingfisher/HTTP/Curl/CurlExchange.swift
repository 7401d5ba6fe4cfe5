import CCurl
import CCurlShim
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One transfer: a chain of requests ("hops") that ends with one response.
///
/// Contains the state machine; ``CurlLoop`` performs its effects on libcurl's handles. Used only on
/// the loop's thread.
final class CurlExchange {
    /// The state of the current hop.
    enum Hop {
        /// The head has not arrived.
        case head
        /// A 401 that libcurl may still handle itself (the first round of Digest).
        case tentative(TransferResponse)
        /// Waits for the handler's reply.
        case asking(CurlQuestion)
        /// The body is passed to the handler.
        case delivering
        /// The body is read and discarded, so that the connection can be reused.
        case discarding
        /// The hop was stopped; ``CurlExchange/failure`` is the reason.
        case stopped
    }

    /// Bodies of redirects and challenges are read up to this size.
    ///
    /// Beyond it a new connection is cheaper than reading the rest.
    static let maxDiscardedBytes = 64 << 10

    let id: UInt64
    let transfer: CurlTransfer
    let handler: any HTTPTransferHandler
    let settings: TransferSettings
    let startTime: CurlTime
    let round: CurlRound
    private(set) var request: URLRequest
    private(set) var url: URL
    var priority: Float

    // The current hop.
    var hop = Hop.head
    var head = CurlHead()
    var handle: UnsafeMutableRawPointer?
    /// The head of the hop's response, once it is complete.
    var response: TransferResponse?
    /// libcurl's result, kept while the handler decides.
    var hopResult: CURLcode?
    var discarded = 0
    /// Whether libcurl holds data back because a callback paused it.
    var isHeldBack = false
    /// Whether libcurl holds data back until the next round.
    var isRationed = false
    var share = CurlShare()
    /// Small pieces of the body, handed on together.
    var gathered: [UInt8] = []
    /// Whether the hop was stopped before its request, because bytes waited on its connection.
    var hasStaleConnection = false
    /// Whether the hop must not use a connection that was used before.
    var needsFreshConnection = false
    /// OpenSSL's verification error for the server's certificate, an `X509_V_ERR`; 0 for none.
    var certificateError = 0
    /// The status of a proxy's last response to `CONNECT`; 0 for none.
    var proxyStatus = 0
    /// The `errno` of the hop's last failed system call; 0 for none.
    var systemError: Int32 = 0
    var refusedAddress: (text: String, range: AddressRange)?
    /// The buffer for libcurl's error text; made with the first handle, because thousands of
    /// transfers may wait.
    private(set) lazy var errorText: UnsafeMutablePointer<CChar> = {
        hasErrorText = true
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        text.initialize(to: 0)
        return text
    }()
    private var hasErrorText = false
    /// Set if this libcurl does not check idle connections itself.
    var sockets: CurlSockets?
    var headerList: UnsafeMutablePointer<curl_slist>?
    var isWaitingForConnection = true
    /// Whether the queue counts it as running.
    var isAdmitted = false
    private(set) var hopOrigin: String
    /// The host of the hop while it waits or runs, so that the host is in the ``CurlQueue``.
    var host: CurlQueue.Host?
    /// The start of the measurement of the body's speed.
    private(set) var measured: (from: CurlTime, wireBytes: Int)?

    // The whole transfer.
    var trust = CurlTrustState()
    var metrics = TransferMetrics()
    var failure: TransferError?
    var queueTime: CurlTime
    var lastActivity: CurlTime
    var credential: (TransferCredential, TransferChallenge.Scheme)?
    private(set) var nextRequest: URLRequest?
    private var failedCredentials = 0
    private var visited: Set<String> = []
    private(set) var questionNumber = 0

    init(_ order: CurlOrder, url: URL, origin: String, round: CurlRound) {
        self.round = round
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
        hopOrigin = Self.place(origin, settings)
    }

    /// The origin as the queue and the trust in servers know it: a socket has its own connections.
    private static func place(_ origin: String, _ settings: TransferSettings) -> String {
        settings.unixSocketPath.map { "\(origin) \($0)" } ?? origin
    }

    /// A priority that can be compared: NaN becomes 0.5.
    static func usable(_ priority: Float) -> Float { priority.isNaN ? 0.5 : priority }

    deinit {
        if hasErrorText { errorText.deallocate() }
    }

    /// Prepares the next hop that the current one has led to.
    func beginNextHop(at time: CurlTime) {
        if let next = nextRequest, let target = next.url {
            if !target.hasSameOrigin(as: url) { credential = nil }
            request = next
            url = target
            hopOrigin = Self.place(target.origin, settings)
        }
        nextRequest = nil
        hop = .head
        head = CurlHead()
        response = nil
        hopResult = nil
        discarded = 0
        isHeldBack = false
        isRationed = false
        needsFreshConnection = hasStaleConnection
        hasStaleConnection = false
        measured = nil
        isWaitingForConnection = true
        queueTime = time
    }

    // MARK: Handling the head

    /// Reads one line of a head.
    ///
    /// - Returns: Whether to continue.
    func receiveHeadLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        // Only the first and the last line count as activity; the lines between could continue for
        // days.
        if head.isEmpty { touch() }
        let isTrailer =
            switch hop {
            case .head, .tentative: false
            default: true
            }
        switch head.take(line, isTrailer: isTrailer) {
        case .more:
            return true
        case .tooLarge(let limit):
            fail(.badResponse(reason: "its head has more than \(limit)", url: url))
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

    /// Stricter than libcurl, which accepts a length that only begins with digits, and one of
    /// several.
    private static func lengthRefusal(of response: TransferResponse) -> String? {
        guard let text = response.value(for: "Content-Length") else { return nil }
        if HTTPSyntax.number(text) != nil { return nil }
        let lengths = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { HTTPSyntax.number($0.drop { $0 == " " }) }
        guard let first = lengths[0], lengths.allSatisfy({ $0 == first }) else {
            return "its length is “\(text)”"
        }
        return nil
    }

    /// A handler that always gives the same wrong credential must not repeat the request forever.
    private static let maxCredentials = 20

    /// Handles a response as a redirect, a challenge or the end of the chain.
    func consider(_ response: TransferResponse) {
        if RedirectRules.statuses.contains(response.statusCode) {
            do throws(TransferError) {
                let rules = RedirectRules(settings: settings)
                if let next = try rules.next(after: request, response) {
                    return ask(.redirect(response, next: next))
                }
            } catch {
                return fail(error)
            }
        }
        let failures = failedCredentials + (credential == nil ? 0 : 1)
        if failures < Self.maxCredentials,
            let challenge = TransferChallenge(response, previousFailureCount: failures)
        {
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

    /// Applies the handler's reply.
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

    /// Records activity of the server.
    func touch() { lastActivity = round.now }

    /// Starts measuring the speed of the body.
    func measureSpeed() { measured = (round.now, wireBytes) }

    /// The number of bytes of the hop's body so far, before decoding.
    private var wireBytes: Int {
        var count: curl_off_t = 0
        if let handle { kf_curl_getinfo_off(handle, CURLINFO_SIZE_DOWNLOAD_T, &count) }
        return Int(count)
    }

    /// Whether fewer bytes arrived since ``measured`` than the minimum speed requires for an idle
    /// time-out.
    var isTooSlow: Bool {
        guard let measured else { return false }
        let fewest = Double(settings.minimumSpeed) * settings.idleTimeout.inSeconds
        return Double(wireBytes - measured.wireBytes) < fewest
    }

    /// Stops the hop with an error; only the first error is kept.
    func fail(_ error: TransferError) {
        if failure == nil { failure = error }
        hop = .stopped
    }
}
