import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The open connections of clients, so that work can end when its client leaves.
final class ClientConnections: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: ClientConnection] = [:]
        var limit = Int.max
    }

    private let state = Mutex(State())
    private let limits: ServiceConfiguration.Connections

    /// Makes an empty list.
    init(_ limits: ServiceConfiguration.Connections) { self.limits = limits }

    /// The number of open connections.
    var count: Int { state.withLock { $0.connections.count } }

    /// The most connections whose requests are answered; those beyond it get 503 and are closed.
    var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// A handler for a new connection, which enforces the limits on its time.
    func makeHandler() -> any RemovableChannelHandler {
        ClientConnectionHandler(limits, self)
    }

    /// Runs work, and cancels it if the client leaves.
    ///
    /// - Throws: The errors of the work.
    func run<Value: Sendable>(
        for channel: (any Channel)?,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let connection = channel.flatMap { channel in
            state.withLock { $0.connections[ObjectIdentifier(channel)] }
        }
        guard let connection else { return try await work() }
        let task = Task { try await work() }
        connection.begin { task.cancel() }
        defer { connection.end() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    fileprivate func add(_ channel: any Channel) -> ClientConnection {
        state.withLock { state in
            let connection = ClientConnection(isRefused: state.connections.count >= state.limit)
            state.connections[ObjectIdentifier(channel)] = connection
            return connection
        }
    }

    fileprivate func remove(_ channel: any Channel) {
        state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(channel)) }
    }
}

/// One connection of a client; it has one request at a time.
private final class ClientConnection: Sendable {
    private struct State {
        var hasLeft = false
        var onLeave: (@Sendable () -> Void)?
    }

    /// Whether there are too many connections for it.
    let isRefused: Bool
    private let state = Mutex(State())

    init(isRefused: Bool) { self.isRefused = isRefused }

    func begin(_ onLeave: @escaping @Sendable () -> Void) {
        let hasLeft = state.withLock { state in
            state.onLeave = onLeave
            return state.hasLeft
        }
        if hasLeft { onLeave() }
    }

    func end() { state.withLock { $0.onLeave = nil } }

    func leave() {
        let onLeave = state.withLock { state in
            state.hasLeft = true
            return state.onLeave
        }
        onLeave?()
    }
}

/// Closes connections that take too long, and notices clients that leave.
///
/// One timer runs for each connection; it looks at the current deadline when it fires.
private final class ClientConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let readTimeout: TimeAmount
    private let writeTimeout: TimeAmount
    private let keepAliveTimeout: TimeAmount
    private let connections: ClientConnections
    private var connection: ClientConnection?
    private var timer: Scheduled<Void>?
    /// The end of reading or of waiting for a request.
    private var readDeadline = NIODeadline.distantFuture
    /// The end of waiting for the client to take bytes.
    private var writeDeadline = NIODeadline.distantFuture
    private var openRequests = 0
    private var isReading = false

    init(_ limits: ServiceConfiguration.Connections, _ connections: ClientConnections) {
        readTimeout = TimeAmount(limits.readTimeout)
        writeTimeout = TimeAmount(limits.writeTimeout)
        keepAliveTimeout = TimeAmount(limits.keepAliveTimeout)
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        ConnectionFieldHandler.add(to: context.pipeline.syncOperations)
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard connection == nil else { return }
        let connection = connections.add(context.channel)
        self.connection = connection
        // A client that is refused must not hold its descriptor for long.
        readDeadline = .now() + (connection.isRefused ? min(readTimeout, .seconds(1)) : readTimeout)
        schedule(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    private func end(_ context: ChannelHandlerContext) {
        guard let connection else { return }
        self.connection = nil
        connections.remove(context.channel)
        timer?.cancel()
        timer = nil
        connection.leave()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard connection?.isRefused == false else { return refuse(context, unwrapInboundIn(data)) }
        switch unwrapInboundIn(data) {
        case .head:
            openRequests += 1
            isReading = true
            readDeadline = .now() + readTimeout
        case .body: break
        case .end:
            isReading = false
            readDeadline = openRequests > 0 ? .distantFuture : .now() + keepAliveTimeout
        }
        context.fireChannelRead(data)
    }

    /// Answers the only request of a client beyond the limit.
    private func refuse(_ context: ChannelHandlerContext, _ part: HTTPRequestPart) {
        guard case .head = part else { return }
        let text = ByteBuffer(string: "Too many clients are connected. Try again in a second.\n")
        var fields: HTTPFields = [
            .contentType: "text/plain; charset=utf-8", .contentLength: "\(text.readableBytes)",
            .connection: "close", .cacheControl: "no-store",
        ]
        fields[.retryAfter] = "1"
        let head = HTTPResponse(status: .serviceUnavailable, headerFields: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(text)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            openRequests -= 1
            // A body that the client still sends keeps its own deadline.
            if openRequests <= 0, !isReading { readDeadline = .now() + keepAliveTimeout }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writeDeadline = context.channel.isWritable ? .distantFuture : .now() + writeTimeout
        if !context.channel.isWritable { schedule(context) }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that closes its side has left, as nginx sees it too.
        if case ChannelEvent.inputClosed = event { connection?.leave() }
        context.fireUserInboundEventTriggered(event)
    }

    private func schedule(_ context: ChannelHandlerContext) {
        let shortest = min(readTimeout, writeTimeout, keepAliveTimeout)
        let pause = min(shortest, max(.milliseconds(1), min(readDeadline, writeDeadline) - .now()))
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [weak self] in
            self?.check(context)
        }
    }

    private func check(_ context: ChannelHandlerContext) {
        guard connection != nil else { return }
        guard min(readDeadline, writeDeadline) > .now() else {
            return context.close(promise: nil)
        }
        schedule(context)
    }
}

extension TimeAmount {
    /// The duration in nanoseconds, at most some 292 years.
    init(_ duration: Duration) { self = .nanoseconds(duration.nanoseconds) }
}
