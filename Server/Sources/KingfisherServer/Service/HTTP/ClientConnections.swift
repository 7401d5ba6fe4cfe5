import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The open connections of clients, so that work can end when its client leaves.
final class ClientConnections: Sendable {
    private let connections = Mutex<[ObjectIdentifier: ClientConnection]>([:])
    private let limits: ServiceConfiguration.Connections

    /// Makes an empty list.
    init(_ limits: ServiceConfiguration.Connections) { self.limits = limits }

    /// The number of open connections.
    var count: Int { connections.withLock { $0.count } }

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
            connections.withLock { $0[ObjectIdentifier(channel)] }
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
        let connection = ClientConnection()
        connections.withLock { $0[ObjectIdentifier(channel)] = connection }
        return connection
    }

    fileprivate func remove(_ channel: any Channel) {
        connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
    }
}

/// One connection of a client; it has one request at a time.
private final class ClientConnection: Sendable {
    private struct State {
        var hasLeft = false
        var onLeave: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

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
        connection = connections.add(context.channel)
        readDeadline = .now() + readTimeout
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
