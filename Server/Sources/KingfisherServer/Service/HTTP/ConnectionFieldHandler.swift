import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Marks requests after which the connection ends, so that Hummingbird closes it.
///
/// It compares the field `Connection` with `close` as written, and no longer knows the version, while
/// clients write `Close`, and those of HTTP/1.0 expect the end without the field. They would wait for
/// it until the connection has been idle for too long.
final class ConnectionFieldHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Adds a handler in front of the one that turns requests into a form without a version.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) {
        guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        // It fails only for a channel that is closed.
        try? pipeline.addHandler(ConnectionFieldHandler(), position: .before(codec))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data),
            head.version != .http1_1 || !head.isKeepAlive
        else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
