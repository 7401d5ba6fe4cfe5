import CKFCurl
import CKFCurlShim
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One transfer: a chain of requests ("hops") that ends with one response.
///
/// Contains the state machine; ``CurlLoop`` performs its effects on libcurl's handles. Used only on
/// the loop's thread.
final class CurlExchange {
    let id: UInt64
    let transfer: CurlTransfer
    let handler: any HTTPTransferHandler
    let settings: TransferSettings
    let startTime: CurlTime
    let round: CurlRound
    private let decoder: CurlDecoder
    var priority: Float
    /// The host of the hop while it waits or runs, so that the host is in the ``CurlQueue``.
    var host: CurlQueue.Host?
    /// Whether the queue counts it as running.
    var isAdmitted = false
    /// Whether it runs without a byte of a response.
    var isSilent = false {
        didSet {
            if isSilent != oldValue { host?.count(isSilent ? 1 : -1) }
        }
    }

    // The current hop.
    private(set) var chain: CurlChain
    var hop: CurlHop
    var handle: UnsafeMutableRawPointer?
    var sockets: CurlSockets?
    var headerList: UnsafeMutablePointer<curl_slist>?
    var url: URL { chain.url }

    // The whole transfer.
    var trust = CurlTrustState()
    var diagnosis = CurlDiagnosis()
    var metrics = TransferMetrics()
    private(set) var failure: TransferError?
    var lastActivity: CurlTime
    private(set) var questionNumber = 0
    /// Whether a request was repeated that the server had not processed.
    var hasRepeated = false
    /// Whether an alternative of a server was not reached.
    var avoidsAlternatives = false

    init(
        _ order: CurlOrder,
        url: URL,
        origin: String,
        round: CurlRound,
        decoder: CurlDecoder
    ) {
        self.round = round
        self.decoder = decoder
        id = order.transfer.id
        transfer = order.transfer
        handler = order.handler
        settings = order.settings
        startTime = order.time
        lastActivity = order.time
        hop = CurlHop(queueTime: order.time)
        priority = Self.usable(order.settings.priority)
        chain = CurlChain(order.request, url: url, origin: origin, order.settings)
    }

    /// A priority that can be compared: NaN becomes 0.5.
    static func usable(_ priority: Float) -> Float { priority.isNaN ? 0.5 : priority }

    /// Prepares the next hop that the current one has led to.
    func beginNextHop(at time: CurlTime) {
        chain.advance(settings)
        let needsFresh = hop.hasStaleConnection || hop.isMisdirected
        hop = CurlHop(queueTime: time, needsFreshConnection: needsFresh)
    }

    /// Ends the use of the hop's connection.
    func leaveConnection() {
        if let connection = hop.connection { sockets?.leave(connection) }
        hop.connection = nil
    }

    // MARK: Handling the head

    /// Reads one line of a head.
    ///
    /// - Returns: Whether to continue.
    func receiveHeadLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        // Only the first and the last line count as activity; the lines between could continue for
        // days.
        if hop.head.isEmpty {
            touch()
            host?.answered(at: round.now)
            isSilent = false
        }
        switch hop.head.take(line, isTrailer: hop.isBehindHead) {
        case .more:
            return true
        case .refused(let reason):
            fail(.badResponse(reason: reason, url: url))
        case .complete:
            headIsComplete()
        }
        if case .stopped = hop.phase { return false }
        return true
    }

    private func headIsComplete() {
        let response = TransferResponse(
            url: url,
            statusCode: hop.head.statusCode,
            httpVersion: hop.head.httpVersion,
            fields: hop.head.fields
        )
        touch()
        let isFirst = hop.response == nil
        hop.response = response
        metrics.statusCode = response.statusCode
        if let reason = ContentCoding.refusal(of: response) ?? Self.lengthRefusal(of: response)
            ?? versionRefusal(of: response)
        {
            return fail(.badResponse(reason: reason, url: url))
        }
        if response.statusCode == 421, isRepeatable {
            hasRepeated = true
            hop.isMisdirected = true
            return beginBody(.discarding)
        }
        if isFirst, response.statusCode == 401, chain.credential?.1 == .digest {
            hop.phase = .tentative(response)
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

    /// Stricter than libcurl before 8, which takes the text for another protocol.
    private func versionRefusal(of response: TransferResponse) -> String? {
        guard chain.origin.hasPrefix("http:"), !response.httpVersion.hasPrefix("HTTP/1.") else {
            return nil
        }
        return "it claims to be \(response.httpVersion), which needs TLS"
    }

    /// Asks the handler about a response.
    func consider(_ response: TransferResponse) {
        do throws(TransferError) {
            ask(try chain.question(about: response, settings))
        } catch {
            fail(error)
        }
    }

    func ask(_ question: CurlQuestion) {
        guard !transfer.isCancelled else { return fail(.cancelled) }
        questionNumber += 1
        hop.phase = .asking(question)
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
        guard case .asking(let question) = hop.phase else { return }
        switch (question, answer) {
        case (.redirect, .redirect(let next?)):
            follow(next)
        case (.challenge(let challenge), .credential(let credential?)):
            chain.use(credential, for: challenge.scheme)
            beginBody(.discarding)
        case (.response(let response), .disposition(let disposition)):
            obey(disposition, response)
        case (.trust(let trust), .trust(let decision)):
            decide(decision, about: trust)
        default:
            if let response = question.response { ask(.response(response)) }
        }
    }

    private func follow(_ next: URLRequest) {
        do throws(TransferError) {
            try chain.follow(next, settings)
        } catch {
            return fail(error)
        }
        metrics.redirectCount = chain.redirectCount
        beginBody(.discarding)
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
            guard declared <= settings.maxBodyBytes || chain.request.httpMethod == "HEAD" else {
                return fail(.bodyTooLarge(limit: settings.maxBodyBytes, url: url))
            }
            hop.decoding = ContentCoding(of: response).map {
                CurlDecoding($0, of: self, by: decoder)
            }
            beginBody(.delivering)
        }
    }

    private func beginBody(_ phase: CurlHop.Phase) {
        hop.phase = phase
        measureSpeed()
    }

    /// Records activity of the server.
    func touch() { lastActivity = round.now }

    /// Starts measuring the speed of the body.
    func measureSpeed() { hop.measured = (round.now, wireBytes) }

    /// The number of bytes of the hop's body so far, before decoding.
    var wireBytes: Int {
        var count: curl_off_t = 0
        if let handle { kf_curl_getinfo_off(handle, CURLINFO_SIZE_DOWNLOAD_T, &count) }
        return Int(count)
    }

    /// Whether fewer bytes arrived since ``CurlHop/measured`` than the minimum speed requires for an idle
    /// time-out.
    var isTooSlow: Bool {
        guard let measured = hop.measured else { return false }
        let fewest = Double(settings.minimumSpeed) * settings.idleTimeout.inSeconds
        return Double(wireBytes - measured.wireBytes) < fewest
    }

    /// Stops the hop with an error; only the first error is kept.
    func fail(_ error: TransferError) {
        if failure == nil { failure = error }
        hop.phase = .stopped
    }
}
