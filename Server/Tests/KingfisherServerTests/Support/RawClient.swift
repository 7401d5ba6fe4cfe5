import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A response as it arrived.
struct Reply: Sendable {
    var status: Int
    /// The fields, names in lower case.
    var fields: [String: String]
    /// The whole head.
    var head: String
    var body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// A connection that sends bytes as they are, so that tests can be as rude as they like.
final class RawClient: Sendable {
    struct Failure: Error {
        var reason: String
    }

    private let socket: Int32
    private let received = Mutex(Data())
    private let isClosed = Mutex(false)

    init(port: Int) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        address.sin_port = in_port_t(port).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, size)
            }
        }
        guard status == 0 else { throw Failure(reason: "connect: \(errno)") }
        // No test waits longer for one read.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            socket,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    deinit { close() }

    func close() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { Glibc.close(socket) }
    }

    func send(method: String = "GET", _ path: String, _ fields: [String: String] = [:]) {
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        sendRaw("\(method) \(path) HTTP/1.1\r\nHost: test\r\n\(lines)\r\n")
    }

    func sendRaw(_ text: String) { sendRaw(Array(text.utf8)) }

    func sendRaw(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for the next response.
    func reply(withBody: Bool = true) async throws -> Reply {
        try await onThread { [self] in try readReply(withBody) }
    }

    /// Waits until the server closes the connection, and returns what it sent before.
    func untilClosed() async throws -> String {
        try await onThread { [self] in
            while try readMore() {}
            return String(decoding: received.withLock { $0 }, as: UTF8.self)
        }
    }

    private func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            // Not a dispatch queue, whose threads the service needs too.
            Thread { continuation.resume(with: Result { try work() }) }.start()
        }
    }

    private func readReply(_ withBody: Bool) throws -> Reply {
        let end = Data("\r\n\r\n".utf8)
        while received.withLock({ $0.range(of: end) }) == nil {
            guard try readMore() else { throw Failure(reason: "closed before a response") }
        }
        let head = received.withLock { received in
            let range = received.range(of: end) ?? 0..<0
            let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
            received = Data(received[range.upperBound...])
            return head
        }
        let lines = head.components(separatedBy: "\r\n")
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
        guard let status else { throw Failure(reason: "no status in \(head)") }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
        }
        let length = withBody ? fields["content-length"].flatMap { Int($0) } ?? 0 : 0
        while received.withLock({ $0.count }) < length {
            guard try readMore() else { throw Failure(reason: "closed within a body") }
        }
        let body = received.withLock { received in
            defer { received = Data(received.dropFirst(length)) }
            return Data(received.prefix(length))
        }
        return Reply(status: status, fields: fields, head: head, body: body)
    }

    /// Reads some bytes; false at the end.
    private func readMore() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(socket, &chunk, chunk.count)
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(reason: "read: \(errno)") }
        received.withLock { $0.append(contentsOf: chunk[..<count]) }
        return count > 0
    }
}
