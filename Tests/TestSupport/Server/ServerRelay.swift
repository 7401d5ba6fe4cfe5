package import Foundation
import Synchronization

/// Forwards bytes between clients and servers on 127.0.0.1, and can fall silent like a network that
/// was cut: its connections stay open, and nothing passes any more.
package final class ServerRelay: Sendable {
    private struct State {
        var opened = 0
        /// Connections up to this number are silent.
        var silent = 0
    }

    /// The port on which it listens.
    package let port: UInt16
    private let servers: [UInt16]
    private let state = Mutex(State())
    private let stopping = ServerEvent()

    /// Starts listening.
    ///
    /// - Parameter servers: The ports of the servers for the first connections; the last one serves
    ///   all later ones.
    /// - Throws: An error if no socket is available.
    package init(to servers: UInt16...) throws {
        self.servers = servers
        let listener = try ServerSocket.listening(on: 0)
        port = listener.port
        // Without a reference to the relay, whose deinit stops the threads.
        let accept = accepting(listener.descriptor)
        Thread(block: accept).start()
    }

    deinit { stopping.set() }

    /// Makes all connections so far silent; later ones work.
    package func fallSilent() { state.withLock { $0.silent = $0.opened } }

    /// The number of connections so far.
    package var connectionCount: Int { state.withLock { $0.opened } }

    /// The URL of a server, through the relay.
    package func url(_ url: URL) -> URL {
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        parts?.port = Int(port)
        guard let url = parts?.url else { preconditionFailure("a port is part of a URL") }
        return url
    }

    private func accepting(_ listener: Int32) -> @Sendable () -> Void {
        { [weak self, stopping] in
            while ServerSocket.waitReadable(listener, or: [stopping]) == .descriptor {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { continue }
                guard let self else { break }
                let number = self.state.withLock { state in
                    state.opened += 1
                    return state.opened
                }
                let target = self.servers[min(number, self.servers.count) - 1]
                guard let server = try? ServerSocket.connected(to: target) else {
                    close(client)
                    continue
                }
                for descriptor in [client, server] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
                Thread { [weak self] in
                    Self.forward(client, server, stopping) {
                        self?.state.withLock { number <= $0.silent } ?? true
                    }
                    close(client)
                    close(server)
                }.start()
            }
            close(listener)
        }
    }

    private static func forward(
        _ client: Int32,
        _ server: Int32,
        _ stopping: ServerEvent,
        _ isSilent: () -> Bool
    ) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var polled = [client, server, stopping.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while true {
            while poll(&polled, 3, -1) < 0, errno == EINTR {}
            if polled[2].revents != 0 { return }
            for (from, to) in [(0, 1), (1, 0)] where polled[from].revents != 0 {
                let count = recv(polled[from].fd, &buffer, buffer.count, 0)
                if isSilent() {
                    // An end is not passed on either.
                    if count <= 0 { polled[from].fd = -1 }
                    continue
                }
                guard count > 0, send(polled[to].fd, buffer, count) else { return }
            }
        }
    }

    private static func send(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Bool {
        var sent = 0
        while sent < count {
            let done = bytes.withUnsafeBytes {
                Foundation.send(
                    descriptor,
                    $0.baseAddress?.advanced(by: sent),
                    count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard done > 0 else { return false }
            sent += done
        }
        return true
    }
}
