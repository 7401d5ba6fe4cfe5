import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Rewrites fields whose meaning depends on the version of HTTP, which later handlers do not know.
///
/// - `Connection`: Hummingbird compares it with `close` as written, while clients write `Close`, and
///   those of HTTP/1.0 expect the end without the field. They would wait for it until the connection
///   has been idle for too long.
/// - `Host`: HTTP/1.1 requires exactly one (RFC 9112, 3.2). A request with none or several keeps
///   none, so that it has no authority and gets 400; one of HTTP/1.0 without it gets an empty one.
/// - `Transfer-Encoding`: a body in another form than `chunked` has no end that could be found (RFC
///   9112, 6.3). The answer is 400 before anything else reads the request, and the connection ends.
final class ConnectionFieldHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var isRefused = false

    /// Adds a handler in front of the one that turns requests into a form without a version.
    static func add(to pipeline: ChannelPipeline.SynchronousOperations) {
        guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        // It fails only for a channel that is closed.
        try? pipeline.addHandler(ConnectionFieldHandler(), position: .before(codec))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else {
            return context.fireChannelRead(data)
        }
        guard Self.isReadable(head.headers) else { return refuse(context) }
        let hosts = head.headers["host"].count
        let isAcceptable = hosts == 1 || hosts == 0 && head.version != .http1_1
        if head.version != .http1_1 || !head.isKeepAlive || !isAcceptable {
            head.headers.replaceOrAdd(name: "connection", value: "close")
        }
        if !isAcceptable {
            head.headers.remove(name: "host")
        } else if hosts == 0 {
            head.headers.add(name: "host", value: "")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Whether the end of a body can be found.
    private static func isReadable(_ fields: HTTPHeaders) -> Bool {
        let encodings = fields[canonicalForm: "transfer-encoding"]
        return encodings.isEmpty
            || encodings.count == 1 && encodings[0].lowercased() == "chunked"
                && !fields.contains(name: "content-length")
    }

    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        let text = ByteBuffer(string: "The transfer encoding is not known. Send chunked.\n")
        let fields: HTTPHeaders = [
            "content-type": "text/plain; charset=utf-8", "connection": "close",
            "content-length": "\(text.readableBytes)", "cache-control": "no-store",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(text))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // At once, before the decoder's own error gets a second answer.
        context.close(promise: nil)
    }
}
