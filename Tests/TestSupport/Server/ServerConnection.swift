import Foundation

/// One connection, on its own thread.
final class ServerConnection {
    private enum End: Error {
        case closed
        case abandoned
    }

    private let descriptor: Int32
    private let core: ServerCore
    private var buffer = Data()

    init(_ descriptor: Int32, core: ServerCore) {
        self.descriptor = descriptor
        self.core = core
        var yes: Int32 = 1
        setsockopt(
            descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &yes,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    /// Serves requests until one side closes the connection.
    func serve() {
        do {
            while let request = try readRequest() {
                let reply = core.reply(to: request)
                core.update { $0.requests.append(request) }
                for step in reply.steps { try play(step) }
            }
        } catch End.abandoned {
            core.update { $0.abandoned += 1 }
        } catch {
            // The script or the client has closed the connection.
        }
        close(descriptor)
    }

    private func play(_ step: ServerReply.Step) throws {
        switch step {
        case .send(let data):
            try send(data)
        case .repeatForever(let data):
            while true {
                try send(data)
                core.update { $0.floodBytes += data.count }
            }
        case .drip(let data, let pause):
            for byte in data {
                try send(Data([byte]))
                let wake = ServerSocket.waitReadable(
                    descriptor,
                    or: [core.stopping],
                    atMost: pause
                )
                if wake == .descriptor { throw End.abandoned }
                if wake == .event { throw End.closed }
            }
        case .wait(let gate):
            gate.arrive()
            let wake = ServerSocket.waitReadable(descriptor, or: [gate.event, core.stopping])
            // The client sends nothing before it has its response, so it has disconnected.
            if wake == .descriptor { throw End.abandoned }
        case .reset:
            ServerSocket.reset(descriptor)
            throw End.closed
        case .close:
            throw End.closed
        }
    }

    private func send(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            try waitWritable()
            let count = rest.withUnsafeBytes {
                Foundation.send(
                    descriptor,
                    $0.baseAddress,
                    $0.count,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
                )
            }
            if count < 0, errno == EAGAIN { continue }
            guard count > 0 else { throw End.abandoned }
            rest = rest.dropFirst(count)
        }
    }

    // A paused client leaves the socket full: the server must still be able to stop.
    private func waitWritable() throws {
        var polled = [
            pollfd(fd: core.stopping.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
        ]
        while poll(&polled, 2, -1) < 0, errno == EINTR {}
        if polled[0].revents != 0 { throw End.closed }
    }

    // MARK: Reading

    private func readRequest() throws -> ServerRequest? {
        let end = Data("\r\n\r\n".utf8)
        var found = buffer.range(of: end)
        while found == nil {
            guard try readMore() else { return nil }
            found = buffer.range(of: end)
        }
        guard let found,
            var request = ServerRequest(
                head: String(decoding: buffer[..<found.lowerBound], as: UTF8.self)
            )
        else { return nil }
        request.head = Data(buffer[..<found.lowerBound])
        buffer = Data(buffer[found.upperBound...])
        let length = request.value(for: "Content-Length").flatMap { Int($0) } ?? 0
        while buffer.count < length {
            guard try readMore() else { return nil }
        }
        request.body = Data(buffer.prefix(length))
        buffer = Data(buffer.dropFirst(length))
        return request
    }

    private func readMore() throws -> Bool {
        guard ServerSocket.waitReadable(descriptor, or: [core.stopping]) == .descriptor else {
            return false
        }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        buffer.append(contentsOf: bytes[..<count])
        return true
    }
}
