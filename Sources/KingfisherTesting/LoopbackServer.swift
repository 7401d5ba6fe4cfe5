public import Foundation
@_spi(Programs) import Kingfisher
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A small HTTP/1.1 server on 127.0.0.1, for demonstrations and for tests over a real network.
///
/// It uses one thread per connection, supports GET and HEAD without bodies, and has no access
/// control.
///
/// ```swift
/// let server = try LoopbackServer { path, headers in
///     path == "/a.png" ? LoopbackServer.Answer(body: picture.data()) : nil
/// }
/// defer { server.stop() }
/// let url = URL(string: server.url("/a.png"))
/// ```
public final class LoopbackServer: Sendable {
    /// A response of the server.
    public struct Answer: Sendable {
        /// The status code.
        public var status: Int
        /// The content type.
        public var contentType: String
        /// The body; its length is stated.
        public var body: Data
        /// Further header fields.
        public var headers: [String: String] = [:]
        /// Whether to close the connection after half of the stated body.
        public var breaksOff = false
        /// Whether to send nothing until the server stops.
        public var hangs = false

        /// Makes a response that is sent completely.
        ///
        /// - Parameters:
        ///   - status: The status code.
        ///   - contentType: The content type.
        ///   - body: The body.
        public init(status: Int = 200, contentType: String = "image/jpeg", body: Data = Data()) {
            self.status = status
            self.contentType = contentType
            self.body = body
        }
    }

    /// A failed system call, with its `errno`.
    public struct SystemError: Error, CustomStringConvertible {
        let call: String
        let code: Int32

        /// The call and the reason, such as “bind: Permission denied”.
        public var description: String { "\(call): \(String(cString: strerror(code)))" }
    }

    private struct State {
        var isStopped = false
        var connections: Set<Int32> = []
        var requests: [String] = []
    }

    /// The port, chosen by the system.
    public let port: UInt16

    private let listener: Int32
    private let answer: @Sendable (_ path: String, _ headers: [String: String]) -> Answer?
    private let state = Mutex(State())

    /// Starts listening.
    ///
    /// - Parameter answer: Called on a thread of the connection with the path including the query,
    ///   and with the request's headers, names in lower case. Nil sends a 404.
    /// - Throws: The failed system call.
    public init(
        answer: @escaping @Sendable (_ path: String, _ headers: [String: String]) -> Answer?
    ) throws(SystemError) {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw SystemError(call: "socket", code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let failure = withUnsafeMutablePointer(to: &address) { pointer -> String? in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(listener, pointer, length) == 0 else { return "bind" }
                guard listen(listener, 64) == 0 else { return "listen" }
                return getsockname(listener, pointer, &length) == 0 ? nil : "getsockname"
            }
        }
        if let failure {
            let code = errno
            close(listener)
            throw SystemError(call: failure, code: code)
        }
        port = UInt16(bigEndian: address.sin_port)
        do throws(ThreadRefused) {
            try ThreadStarter.system("kf-loopback") { self.acceptConnections() }
        } catch {
            close(listener)
            throw SystemError(call: "starting a thread", code: error.code)
        }
    }

    /// The URL of a path; `path` must begin with a slash.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The requested paths so far, in order of arrival.
    public var requests: [String] { state.withLock { $0.requests } }

    /// Closes all connections and refuses new ones.
    public func stop() {
        let connections = state.withLock { state -> Set<Int32> in
            guard !state.isStopped else { return [] }
            state.isStopped = true
            // Wakes the accepting thread, which closes the socket.
            shutdown(listener, Int32(SHUT_RDWR))
            return state.connections
        }
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    // MARK: - Connections

    private func acceptConnections() {
        while true {
            let connection = accept(listener, nil, nil)
            if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard connection >= 0 else { break }
            let isWelcome = state.withLock { state in
                guard !state.isStopped else { return false }
                state.connections.insert(connection)
                return true
            }
            guard isWelcome else {
                close(connection)
                break
            }
            do throws(ThreadRefused) {
                try ThreadStarter.system("kf-loopback") { self.serve(connection) }
            } catch {
                // The client sees that its connection is closed.
                end(connection)
            }
        }
        close(listener)
    }

    private func serve(_ connection: Int32) {
        var received = Data()
        while let head = readHead(connection, &received) {
            let lines = head.split(separator: "\r\n")
            let words = (lines.first ?? "").split(separator: " ")
            guard words.count == 3, words[0] == "GET" || words[0] == "HEAD" else { break }
            let path = String(words[1])
            state.withLock { $0.requests.append(path) }
            let answer = answer(path, Self.headers(lines.dropFirst()))
            guard send(answer, to: connection, withBody: words[0] == "GET") else { break }
        }
        end(connection)
    }

    private func end(_ connection: Int32) {
        state.withLock { _ = $0.connections.remove(connection) }
        close(connection)
    }

    /// Reads up to the empty line; nil if the client has closed the connection or the head is too
    /// long.
    private func readHead(_ connection: Int32, _ received: inout Data) -> String? {
        let end = Data("\r\n\r\n".utf8)
        // 64 KiB: eight times the limit of common servers.
        while received.count < 65_536 {
            if let range = received.range(of: end) {
                let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                received = Data(received[range.upperBound...])
                return head
            }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(connection, &chunk, chunk.count)
            guard count > 0 else { return nil }
            received.append(contentsOf: chunk[..<count])
        }
        return nil
    }

    private static func headers(_ lines: ArraySlice<Substring>) -> [String: String] {
        var headers: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return headers
    }

    /// Sends a response; returns whether the connection can be used for another request.
    private func send(_ answer: Answer?, to connection: Int32, withBody: Bool) -> Bool {
        let answer =
            answer ?? Answer(status: 404, contentType: "text/plain", body: Data("not here\n".utf8))
        if answer.hangs {
            // Ends when either side shuts the connection down.
            var byte: UInt8 = 0
            while read(connection, &byte, 1) > 0 {}
            return false
        }
        let head = """
            HTTP/1.1 \(answer.status) \(answer.status == 200 ? "OK" : "Status")\r
            Content-Type: \(answer.contentType)\r
            Content-Length: \(answer.body.count)\r\n
            """
        let fields = answer.headers.map { "\($0): \($1)\r\n" }.sorted().joined()
        let body = answer.breaksOff ? answer.body.prefix(answer.body.count / 2) : answer.body
        let isSent = write(
            Data((head + fields + "\r\n").utf8) + (withBody ? body : Data()),
            to: connection
        )
        return isSent && !answer.breaksOff
    }

    private func write(_ data: Data, to connection: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                // Without the flag, writing to a closed connection would terminate the process.
                let count = sendBytes(
                    connection,
                    bytes.baseAddress?.advanced(by: sent),
                    bytes.count - sent
                )
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }
}

/// Calls the system's `send`, which the server's methods shadow.
private func sendBytes(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    send(socket, bytes, count, Int32(MSG_NOSIGNAL))
}
