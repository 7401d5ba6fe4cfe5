#if Redis
import Foundation
import Glibc
import Logging

/// A request: commands that are sent together, and the handler of their replies.
struct RedisRequest: Sendable {
    let bytes: Data
    let count: Int
    let completion: @Sendable (Result<[RedisReply], RedisError>) -> Void
}

/// A connection that is opened again whenever it is lost.
///
/// Used on the client's thread.
final class RedisLink {
    private enum State {
        case closed(until: ContinuousClock.Instant)
        case connecting(RedisSocket, forWriting: Bool, until: ContinuousClock.Instant)
        case open(RedisSocket, RedisReader)
    }

    private struct Pending {
        let request: RedisRequest?
        let count: Int
        var replies: [RedisReply] = []
    }

    private let address: RedisAddress
    private let settings: RedisSettings
    /// The commands that begin a connection, each with one reply.
    private let greeting: [[Data]]
    private let push: (@Sendable (Data) -> Void)?
    private let log: RedisLog
    private var state = State.closed(until: .now)
    /// The replies of the greeting that are missing; requests are sent meanwhile.
    private var greetings = 0
    private var pending: ArraySlice<Pending> = []
    private var output = Data()
    private var written = 0
    private var waiting: [RedisRequest] = []
    private var failures = 0
    private var logged: String?
    private var lastInput = ContinuousClock.now
    private var hasPinged = false
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    /// Makes a closed link, which connects at once.
    ///
    /// - Parameters:
    ///   - address: The server.
    ///   - settings: Time-outs and limits.
    ///   - log: Receives each problem once until the link is open again.
    ///   - channel: The channel to receive messages of; nil for a link that sends requests.
    ///   - push: Receives the messages.
    init(
        _ address: RedisAddress,
        _ settings: RedisSettings,
        log: RedisLog,
        channel: String? = nil,
        push: (@Sendable (Data) -> Void)? = nil
    ) {
        self.address = address
        self.settings = settings
        let subscription = channel.map { [[Data("SUBSCRIBE".utf8), Data($0.utf8)]] } ?? []
        greeting = address.greeting + subscription
        self.push = push
        self.log = log
    }

    deinit { buffer.deallocate() }

    // MARK: The client's loop

    /// Sends a request, or keeps it while the link connects; fails while it waits to reconnect.
    func submit(_ request: RedisRequest) {
        switch state {
        case .open where greetings == 0: enqueue(request)
        case .closed where failures > 0:
            request.completion(.failure(RedisError("\(address.name) is not connected.")))
        default: waiting.append(request)
        }
    }

    /// The events to wait for, and the end of the wait.
    func interest(
        at now: ContinuousClock.Instant
    ) -> (poll: pollfd?, deadline: ContinuousClock.Instant) {
        switch state {
        case .closed(let until): return (nil, until)
        case .connecting(let socket, let forWriting, let until):
            let events = Int16(forWriting ? POLLOUT : POLLIN)
            return (pollfd(fd: socket.descriptor, events: events, revents: 0), until)
        case .open(let socket, _):
            var events = Int16(POLLIN)
            if written < output.count { events |= Int16(POLLOUT) }
            return (pollfd(fd: socket.descriptor, events: events, revents: 0), idleDeadline)
        }
    }

    /// Reads, writes and connects as far as possible without blocking.
    func work(at now: ContinuousClock.Instant) {
        do throws(RedisError) {
            switch state {
            case .closed(let until) where now >= until: try open(at: now)
            case .connecting(let socket, _, let until): try connect(socket, until, now)
            case .open(let socket, let reader): try exchange(socket, reader, now)
            default: break
            }
        } catch {
            fail(error, at: now)
        }
    }

    /// Ends the link and everything that waits for it.
    func close() { drop(RedisError("The storage was closed.")) }

    // MARK: Connecting

    private func open(at now: ContinuousClock.Instant) throws(RedisError) {
        let socket = try RedisSocket(address, settings, attempt: failures)
        let until = ContinuousClock.now + settings.connectTimeout
        state = .connecting(socket, forWriting: true, until: until)
    }

    private func connect(
        _ socket: RedisSocket,
        _ until: ContinuousClock.Instant,
        _ now: ContinuousClock.Instant
    ) throws(RedisError) {
        guard now < until else { throw RedisError("\(address.name) does not answer.") }
        guard isReady(socket, for: Int16(POLLIN | POLLOUT)) else { return }
        switch try socket.connect() {
        case .waits(let forWriting):
            state = .connecting(socket, forWriting: forWriting, until: until)
        case .done:
            state = .open(socket, try RedisReader(limit: settings.largestReply))
            greetings = greeting.count
            lastInput = now
            for words in greeting {
                RedisCommand.append(words, to: &output)
                pending.append(Pending(request: nil, count: 1))
            }
            if greetings == 0 { opened() }
            try exchange(socket, try currentReader(), now)
        }
    }

    private func isReady(_ socket: RedisSocket, for events: Int16) -> Bool {
        var entry = pollfd(fd: socket.descriptor, events: events, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    private func currentReader() throws(RedisError) -> RedisReader {
        guard case .open(_, let reader) = state else { throw RedisError("Not connected.") }
        return reader
    }

    private func opened() {
        if logged != nil { log.info("\(address.name) is connected again.") }
        failures = 0
        logged = nil
        let requests = waiting
        waiting = []
        for request in requests { enqueue(request) }
    }

    // MARK: Exchanging

    private func enqueue(_ request: RedisRequest) {
        output.append(request.bytes)
        if pending.isEmpty { lastInput = .now }
        pending.append(Pending(request: request, count: request.count))
    }

    private var idleDeadline: ContinuousClock.Instant {
        pending.isEmpty && (push == nil || hasPinged == false)
            ? lastInput + .seconds(30) : lastInput + settings.replyTimeout
    }

    private func exchange(
        _ socket: RedisSocket,
        _ reader: RedisReader,
        _ now: ContinuousClock.Instant
    ) throws(RedisError) {
        try read(socket, reader, now)
        if now >= idleDeadline {
            guard pending.isEmpty, !hasPinged else {
                throw RedisError("\(address.name) does not answer any more.")
            }
            // Finds out whether the server is still there.
            RedisCommand.append([Data("PING".utf8)], to: &output)
            lastInput = now
            if push == nil { pending.append(Pending(request: nil, count: 1)) }
            hasPinged = true
        }
        try write(socket)
    }

    private func write(_ socket: RedisSocket) throws(RedisError) {
        while written < output.count {
            let sent = output.withUnsafeBytes { bytes in
                Result { () throws(RedisError) in
                    try socket.send(UnsafeRawBufferPointer(rebasing: bytes[written...]))
                }
            }
            guard let count = try sent.get() else { break }
            written += count
        }
        if written == output.count {
            // Gives back the memory of large values.
            if output.count > 1 << 20 {
                output = Data()
            } else {
                output.removeAll(keepingCapacity: true)
            }
            written = 0
        } else if written > 1 << 20 {
            output = Data(output.dropFirst(written))
            written = 0
        }
    }

    private func read(
        _ socket: RedisSocket,
        _ reader: RedisReader,
        _ now: ContinuousClock.Instant
    ) throws(RedisError) {
        // Bounded, so that the other connection is served too.
        for _ in 0..<64 {
            guard let count = try socket.receive(into: buffer) else { return }
            lastInput = now
            hasPinged = false
            try reader.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            while let reply = try reader.next() { try take(reply) }
        }
    }

    private func take(_ reply: RedisReply) throws(RedisError) {
        if greetings > 0 { return try takeGreeting(reply) }
        if let push {
            // Anything else is the reply to a ping.
            if case .list(let parts) = reply, parts.count == 3,
                parts[0] == .bytes(Data("message".utf8)), case .bytes(let message) = parts[2]
            {
                push(message)
            }
            return
        }
        guard var first = pending.popFirst() else {
            throw RedisError("\(address.name) sent a reply without a request.")
        }
        first.replies.append(reply)
        guard first.replies.count == first.count else {
            pending = [first] + pending
            return
        }
        first.request?.completion(.success(first.replies))
    }

    private func takeGreeting(_ reply: RedisReply) throws(RedisError) {
        _ = pending.popFirst()
        if case .error(let text) = reply {
            throw RedisError("\(address.name) refused the connection: \(text)")
        }
        greetings -= 1
        if greetings == 0 { opened() }
    }

    // MARK: Failing

    private func fail(_ error: RedisError, at now: ContinuousClock.Instant) {
        failures = min(failures + 1, 1_000)
        if logged != error.description {
            logged = error.description
            log.warning(error.description)
        }
        drop(error)
        let delay = min(0.05 * pow(2, Double(min(failures, 10) - 1)), settings.longestBackOff)
        // Spread, so that machines do not return at the same time.
        state = .closed(until: .now + .seconds(delay * Double.random(in: 0.5...1)))
    }

    private func drop(_ error: RedisError) {
        let requests = pending.compactMap(\.request) + waiting
        pending = []
        waiting = []
        output = Data()
        written = 0
        greetings = 0
        hasPinged = false
        state = .closed(until: .now)
        for request in requests { request.completion(.failure(error)) }
    }
}

/// Where the problems of connections are logged.
struct RedisLog: Sendable {
    var warning: @Sendable (String) -> Void
    var info: @Sendable (String) -> Void

    /// Through swift-log; a logger is made on each call, so that a logging system that is set up
    /// late is used.
    static let system = RedisLog(
        warning: { text in logger.warning("\(text)") },
        info: { text in logger.info("\(text)") }
    )

    private static var logger: Logger { Logger(label: "com.onevcat.Kingfisher.Redis") }
}
#endif
