package import Foundation
import Synchronization

/// An HTTP/1.1 server on 127.0.0.1 with scripted responses, which records its requests.
///
/// One thread accepts, and one serves each connection; connections are kept open between requests.
/// Nothing here sleeps: a script waits at a ``ServerGate``, and a test awaits ``received(_:)`` or
/// the gate.
///
/// ```swift
/// let server = try ImageServer()
/// server.route("/a.jpg", .body(bytes, type: "image/jpeg"))
/// … server.url("/a.jpg") …
/// await server.received(1)
/// ```
package final class ImageServer: Sendable {
    /// The port on which it listens.
    package let port: UInt16
    private let core: ServerCore

    /// Starts listening.
    ///
    /// - Parameter port: 0 selects a free one.
    /// - Throws: An error if no socket is available or the port is in use.
    package init(port: UInt16 = 0) throws {
        let listener = try ServerSocket.listening(on: port)
        self.port = listener.port
        core = ServerCore()
        let thread = Thread { [core] in core.acceptAll(listener.descriptor) }
        thread.name = "test-server"
        thread.start()
    }

    /// Starts listening on a Unix domain socket; it has no port and no URL.
    ///
    /// - Parameter socketPath: The path, at most 107 bytes.
    /// - Throws: An error if the socket cannot be made.
    package init(socketPath: String) throws {
        let descriptor = try ServerSocket.listening(at: socketPath)
        port = 0
        core = ServerCore()
        let thread = Thread { [core] in core.acceptAll(descriptor) }
        thread.name = "test-server"
        thread.start()
    }

    deinit {
        core.stop()
    }

    /// Closes everything; later connections are refused.
    package func stop() { core.stop() }

    /// The URL of a path on this server.
    package func url(_ path: String) -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("\(path) is not a path")
        }
        return url
    }

    /// Sets the response for a path, regardless of the query.
    package func route(_ path: String, _ reply: ServerReply) {
        core.state.withLock { $0.routes[path] = { _ in reply } }
    }

    /// Sets a response that depends on the request.
    package func route(
        _ path: String,
        _ answer: @escaping @Sendable (ServerRequest) -> ServerReply
    ) {
        core.state.withLock { $0.routes[path] = answer }
    }

    /// Sets the response for every path without a route.
    package func fallback(_ answer: @escaping @Sendable (ServerRequest) -> ServerReply) {
        core.state.withLock { $0.fallback = answer }
    }

    /// All requests so far, in the order in which their headers were complete.
    package var requests: [ServerRequest] { core.state.withLock { $0.requests } }

    /// The requests for one path.
    package func requests(for path: String) -> [ServerRequest] {
        requests.filter { $0.path == path }
    }

    /// Discards the recorded requests, so that the server's own memory does not grow.
    package func forgetRequests() { core.update { $0.requests = [] } }

    /// Waits until `count` requests have arrived since the start.
    package func received(_ count: Int) async {
        await core.wait { $0.requests.count >= count }
    }

    /// Waits until `count` connections have been opened since the start.
    package func connected(_ count: Int) async {
        await core.wait { $0.opened >= count }
    }

    /// Waits until the client has closed `count` connections in the middle of a response.
    package func abandoned(_ count: Int) async {
        await core.wait { $0.abandoned >= count }
    }

    /// Waits until no connection is open.
    package func quiet() async {
        await core.wait { $0.opened == $0.closed }
    }

    /// The number of connections opened since the start.
    package var connectionCount: Int { core.state.withLock { $0.opened } }

    /// The bytes sent by ``ServerReply/Step/repeatForever(_:)``.
    package var floodBytes: Int { core.state.withLock { $0.floodBytes } }

    /// The number of currently open connections.
    package var openConnectionCount: Int { core.state.withLock { $0.opened - $0.closed } }
}

extension ImageServer {
    /// A port on which nothing listens.
    ///
    /// - Throws: An error if no socket is available.
    package static func freePort() throws -> UInt16 {
        let listener = try ServerSocket.listening(on: 0)
        close(listener.descriptor)
        return listener.port
    }
}
