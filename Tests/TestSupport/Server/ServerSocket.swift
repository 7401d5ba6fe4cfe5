import Foundation

/// The socket calls of the test server.
enum ServerSocket {
    enum Wake: Equatable {
        case descriptor
        case event
        case time
    }

    struct Failure: Error {
        let call: String
        let code: Int32
    }

    /// Listens on 127.0.0.1.
    static func listening(on port: UInt16) throws -> (descriptor: Int32, port: UInt16) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        var yes: Int32 = 1
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_REUSEADDR,
            &yes,
            socklen_t(MemoryLayout<Int32>.size)
        )
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 1024) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else {
            let code = errno
            close(descriptor)
            throw Failure(call: "bind", code: code)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Connects to a port of 127.0.0.1.
    static func connected(to port: UInt16) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size) == 0
            }
        }
        guard isConnected else {
            let code = errno
            close(descriptor)
            throw Failure(call: "connect", code: code)
        }
        return descriptor
    }

    /// Listens on a Unix domain socket.
    static func listening(at path: String) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                    && listen(descriptor, 64) == 0
            }
        }
        guard isBound else {
            let code = errno
            close(descriptor)
            throw Failure(call: "bind", code: code)
        }
        return descriptor
    }

    /// Waits until `descriptor` is readable (or closed by the peer), an event is set, or the time
    /// limit is reached.
    static func waitReadable(
        _ descriptor: Int32,
        or events: [ServerEvent],
        atMost limit: Duration? = nil
    ) -> Wake {
        var polled = events.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        let timeout = limit.map { Int32($0 / .milliseconds(1)) } ?? -1
        while true {
            let count = poll(&polled, nfds_t(polled.count), timeout)
            if count < 0, errno == EINTR { continue }
            if count == 0 { return .time }
            return polled.dropLast().contains { $0.revents != 0 } ? .event : .descriptor
        }
    }

    /// Closes with a RST instead of a FIN.
    static func reset(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_LINGER,
            &option,
            socklen_t(MemoryLayout<linger>.size)
        )
    }
}
