import CKFCurl
import CKFCurlShim
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transport's thread: executes commands, drives libcurl and ends transfers.
///
/// Everything runs on the loop's thread; other threads use the mailbox.
final class CurlLoop {
    private let mailbox: CurlMailbox
    private let bell: Int32
    /// Commands that were received and not yet executed, except cancellations.
    private var commands = FIFO<CurlCommand>()
    /// Transfers to cancel.
    ///
    /// Other commands do not wait for them. Their order is unimportant, because a cancelled transfer
    /// has no events and is not started.
    private var cancellations = FIFO<UInt64>()
    let configuration: CurlTransport.Configuration
    let environment: CurlEnvironment
    let multi: UnsafeMutableRawPointer?
    /// Shares TLS sessions, which would otherwise end with each handle; the multi handle owns the
    /// connections.
    let share: UnsafeMutableRawPointer?
    /// All transfers that have not ended.
    var exchanges: [UInt64: CurlExchange] = [:]
    var queue: CurlQueue
    /// The exchanges with a handle.
    var running: [UnsafeMutableRawPointer: CurlExchange] = [:]
    let round = CurlRound()
    var now: CurlTime { round.now }
    let sockets = CurlSockets()
    private let decoder: CurlDecoder
    private let routes = RouteSocket()
    /// The time that the machine had slept at the last look.
    var sleep: Duration
    /// What ends a wait besides the sockets of transfers: a command, and a change of routes.
    private let doors = UnsafeMutableBufferPointer<curl_waitfd>.allocate(capacity: 2)
    /// The total time-outs of transfers; those of ended transfers are skipped.
    var ends = Heap<TotalEnd>()
    /// When the next time-out may be due.
    var nextCheck: CurlTime?
    /// The most transfers at once since memory was last given back, including those not yet
    /// started: all may be cancelled before.
    var peak = 0
    /// When the network has rested for long enough to give memory back.
    var restEnd: CurlTime?

    /// The most commands, and the most cancellations, between two looks at the sockets: thousands of
    /// loads may be cancelled at once, and the transfers of others must not wait for all of them.
    private static let batchSize = 128

    /// Set up once per process, before the first handle.
    private static let isLibraryReady: Bool = {
        guard kf_curl_set_up() == CURLE_OK else { return false }
        if kf_curl_watches_connections() == 0 {
            let library = curl_version_info(CURLVERSION_FIRST)?.pointee.ssl_version
            let name = library.map { String(cString: $0) } ?? "no TLS"
            Log.warning(
                "libcurl uses \(name), not OpenSSL 3: a body without a length that is cut looks complete, "
                    + "floods can hold up other transfers, and certificates cannot be decided about",
                key: "libcurl"
            )
        }
        return true
    }()

    init(
        mailbox: CurlMailbox,
        configuration: CurlTransport.Configuration,
        threads: ThreadStarter
    ) {
        self.mailbox = mailbox
        decoder = CurlDecoder(threads: threads)
        bell = mailbox.openBell()
        self.configuration = configuration
        queue = CurlQueue(limit: configuration.maxConnections)
        environment = CurlEnvironment(configuration)
        sleep = configuration.timeAsleep()
        doors.initialize(repeating: curl_waitfd())
        multi = Self.isLibraryReady ? curl_multi_init() : nil
        share = Self.isLibraryReady ? kf_curl_share_tls_sessions() : nil
        guard let multi else { return }
        let limit = configuration.maxConnections
        kf_curl_multi_setopt_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limit)
        kf_curl_multi_setopt_long(
            multi,
            CURLMOPT_MAXCONNECTS,
            max(1, configuration.maxIdleConnections)
        )
    }

    deinit { doors.deallocate() }

    /// Runs until the transport is released.
    func run() {
        while true {
            round.begin()
            followSleep()
            if !receive() { return close() }
            obeySome()
            admit()
            for exchange in round.takeWaiting() { continueRationed(exchange) }
            if let multi {
                var count: Int32 = 0
                curl_multi_perform(multi, &count)
                collect(multi)
            }
            if round.isLong { restrictFloods() }
            for exchange in round.takeGathering() { exchange.handOn() }
            checkTimeouts()
            // A free connection goes to a waiting transfer in the next round, which reads the new
            // commands first, so that a new priority counts.
            let isBusy = canAdmit || round.hasWaiting
            if !isBusy, commands.isEmpty, cancellations.isEmpty { wait() }
        }
    }

    /// Handles the hops that libcurl reports as completed.
    private func collect(_ multi: UnsafeMutableRawPointer) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let exchange = running[handle]
            else { continue }
            // Read before the handle is removed, because that frees the message.
            let code = kf_curl_message_result(message)
            release(exchange, harvest: true)
            hopEnded(exchange, code)
        }
    }

    private func wait() {
        guard let multi, mailbox.mayWait() else { return }
        // At most a minute, so that libcurl can close connections that are too old. While transfers run,
        // much less: on a busy machine, transfers over one HTTP/2 connection have stood still until the
        // end of this wait with libcurl 7.88, and performing them again finds what they lack.
        var timeout = running.isEmpty ? 60_000 : 250
        if let nextCheck { timeout = min(timeout, max(0, (nextCheck - .now).milliseconds)) }
        // Without an event descriptor the mailbox must be polled.
        guard bell >= 0 else {
            curl_multi_poll(multi, nil, 0, Int32(min(timeout, 20)), nil)
            return
        }
        let input = Int16(CURL_WAIT_POLLIN)
        doors[0] = curl_waitfd(fd: bell, events: input, revents: 0)
        doors[1] = curl_waitfd(fd: routes.descriptor, events: input, revents: 0)
        curl_multi_poll(multi, doors.baseAddress, routes.isOpen ? 2 : 1, Int32(timeout), nil)
        if doors[0].revents != 0 { kf_curl_bell_quiet(bell) }
        if doors[1].revents != 0 { followRoutes(routes.receive()) }
    }

    // MARK: Commands

    /// Takes the commands of the mailbox; returns false if the transport was released.
    ///
    /// A function of its own, because a command kept while the loop waits would keep the downloader
    /// of its transfer.
    private func receive() -> Bool {
        let mail = mailbox.take()
        for command in mail.commands {
            if case .cancel(let id) = command {
                cancellations.append(id)
            } else {
                commands.append(command)
            }
        }
        peak = max(peak, exchanges.count + commands.count)
        return !mail.isClosed
    }

    private func obeySome() {
        for _ in 0..<Self.batchSize {
            guard let command = commands.popFirst() else { break }
            obey(command)
        }
        for _ in 0..<Self.batchSize {
            guard let id = cancellations.popFirst() else { break }
            cancel(id)
        }
    }

    private func obey(_ command: CurlCommand) {
        switch command {
        case .start(let order): start(order)
        case .cancel(let id): cancel(id)
        case .resume(let id): resume(id)
        case .prioritise(let id, let priority): prioritise(id, priority)
        case .answer(let id, let question, let answer): accept(answer, to: question, of: id)
        case .census(let continuation): continuation.resume(returning: census)
        }
    }

    private var census: CurlCensus {
        CurlCensus(
            running: running.count,
            queued: queue.count,
            alive: exchanges.count
        )
    }

    private func start(_ order: CurlOrder) {
        do throws(TransferError) {
            let (url, origin) = try target(of: order)
            let exchange = CurlExchange(
                order,
                url: url,
                origin: origin,
                round: round,
                decoder: decoder
            )
            exchanges[exchange.id] = exchange
            queue.add(exchange)
            watchTotal(of: exchange)
        } catch {
            watchRest()
            order.handler.transfer(order.transfer, didFinish: error, metrics: .init())
        }
    }

    /// The URL and origin of an order, if it can be executed.
    private func target(
        of order: CurlOrder
    ) throws(TransferError) -> (url: URL, origin: String) {
        if order.transfer.isCancelled { throw .cancelled }
        guard let url = order.request.url else {
            throw .invalidRequest(reason: "it has no URL", url: nil)
        }
        let scheme = url.scheme?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw .unsupportedScheme(scheme, url: url)
        }
        guard let host = url.host, !host.isEmpty else {
            throw .invalidRequest(reason: "its URL has no host", url: url)
        }
        guard order.request.httpBodyStream == nil else {
            throw .invalidRequest(reason: "its body is a stream; set httpBody instead", url: url)
        }
        guard multi != nil else {
            throw .curl(code: 2, message: "libcurl could not be initialised", url: url)
        }
        return (url, url.origin(scheme: scheme, host: host))
    }

    private func cancel(_ id: UInt64) {
        guard let exchange = exchanges[id] else { return }
        abandon(exchange, after: min(exchange.settings.idleTimeout, Self.patience))
        end(exchange, .cancelled)
    }

    private func prioritise(_ id: UInt64, _ priority: Float) {
        guard let exchange = exchanges[id] else { return }
        exchange.priority = CurlExchange.usable(priority)
        queue.resort(exchange)
    }

    private func resume(_ id: UInt64) {
        guard let exchange = exchanges[id] else { return }
        exchange.handOn()
        if case .delivering = exchange.hop.phase, let result = exchange.hop.result {
            return hopEnded(exchange, result)
        }
        if let failure = exchange.hop.decoding?.failure {
            release(exchange, harvest: true)
            return end(exchange, failure)
        }
        exchange.hop.decoding?.resume()
        releaseHeldBack(exchange)
    }

    private func accept(_ answer: CurlAnswer, to question: Int, of id: UInt64) {
        guard let exchange = exchanges[id], exchange.questionNumber == question else { return }
        exchange.accept(answer)
        if case .asking = exchange.hop.phase { return }
        if let result = exchange.hop.result {
            return hopEnded(exchange, result)
        }
        if case .stopped = exchange.hop.phase {
            release(exchange, harvest: true)
            return hopEnded(exchange, CURLE_WRITE_ERROR)
        }
        releaseHeldBack(exchange)
    }

    /// Resumes a paused handle; libcurl may call back immediately.
    private func releaseHeldBack(_ exchange: CurlExchange) {
        let isHeldBack = exchange.hop.isHeldBack
        exchange.hop.isHeldBack = false
        exchange.lastActivity = now
        if exchange.hop.measured != nil { exchange.measureSpeed() }
        watch(exchange)
        if isHeldBack { unpause(exchange) }
    }

    /// Continues a transfer that had used its share of the last round.
    private func continueRationed(_ exchange: CurlExchange) {
        guard exchange.hop.isRationed else { return }
        exchange.hop.isRationed = false
        unpause(exchange)
    }

    private func unpause(_ exchange: CurlExchange) {
        guard let handle = exchange.handle else { return }
        let code = curl_easy_pause(handle, Int32(kf_curl_pause_none))
        guard code != CURLE_OK else { return }
        release(exchange, harvest: true)
        hopEnded(exchange, code)
    }

    private func close() {
        // Orders posted just before the transport was released are cancelled like running ones.
        while let command = commands.popFirst() { obey(command) }
        for exchange in exchanges.values.sorted(by: { $0.id < $1.id }) {
            release(exchange, harvest: false)
            end(exchange, .cancelled)
        }
        if let multi { curl_multi_cleanup(multi) }
        if let share { curl_share_cleanup(share) }
    }
}
