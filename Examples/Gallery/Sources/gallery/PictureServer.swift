import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A small HTTP/1.1 server on 127.0.0.1 that answers GET, with one thread per connection.
nonisolated final class PictureServer: Sendable {
    /// A failed system call with its `errno`.
    struct SystemError: Error, CustomStringConvertible {
        let call: String
        let code: Int32

        var description: String { "\(call): \(String(cString: strerror(code)))" }
    }

    /// A response of the server.
    struct Answer: Sendable {
        var type: String
        var body: Data
    }

    /// The port, chosen by the system.
    let port: UInt16
    private let listener: Int32
    private let requests = Atomic(0)
    private let cancelled = Atomic(0)
    private let sentBytes = Mutex<[String: Int]>([:])
    private let delay: Double
    private let answer: @Sendable (_ path: String) -> Answer?

    /// Starts listening.
    ///
    /// `answer` is called on a connection's thread, `delay` seconds after the request; nil results
    /// in 404.
    init(
        delay: Double = 0,
        answer: @escaping @Sendable (_ path: String) -> Answer?
    ) throws(SystemError) {
        self.answer = answer
        self.delay = delay
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw SystemError(call: "socket", code: errno) }
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafeMutablePointer(to: &address) { pointer -> String? in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(listener, pointer, length) == 0 else { return "bind" }
                guard listen(listener, 64) == 0 else { return "listen" }
                return getsockname(listener, pointer, &length) == 0 ? nil : "getsockname"
            }
        }
        if let failure { throw SystemError(call: failure, code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { continue }
                Thread { self.serve(connection) }.start()
            }
        }.start()
    }

    /// The number of requests received.
    var requestCount: Int { requests.load(ordering: .relaxed) }

    /// The number of requests whose client had disconnected before the response.
    var cancelledCount: Int { cancelled.load(ordering: .relaxed) }

    /// The bytes of the bodies that were sent, by path.
    var sent: [String: Int] { sentBytes.withLock { $0 } }

    /// The URL of a path that begins with a slash.
    func url(_ path: String) -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("\(path) is no path")
        }
        return url
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var received = Data()
        while let path = readRequest(connection, &received) {
            requests.add(1, ordering: .relaxed)
            if delay > 0 { Thread.sleep(forTimeInterval: delay) }
            guard isConnected(connection) else {
                cancelled.add(1, ordering: .relaxed)
                return
            }
            let answer = answer(path)
            let status = answer == nil ? "404 Not Found" : "200 OK"
            let body = answer?.body ?? Data()
            let head = """
                HTTP/1.1 \(status)\r
                Content-Type: \(answer?.type ?? "text/plain")\r
                Content-Length: \(body.count)\r
                \r\n
                """
            guard write(Data(head.utf8) + body, to: connection) else { return }
            sentBytes.withLock { $0[path, default: 0] += body.count }
        }
    }

    private func isConnected(_ connection: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(connection, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) != 0
    }

    /// The path of the next request; nil if the client has disconnected or sends another method.
    private func readRequest(_ connection: Int32, _ received: inout Data) -> String? {
        let end = Data("\r\n\r\n".utf8)
        while received.count < 65_536 {
            if let range = received.range(of: end) {
                let head = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                received = Data(received[range.upperBound...])
                let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
                return words.count >= 2 && words[0] == "GET" ? String(words[1]) : nil
            }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(connection, &chunk, chunk.count)
            guard count > 0 else { return nil }
            received.append(contentsOf: chunk[..<count])
        }
        return nil
    }

    private func write(_ data: Data, to connection: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                // Without the flag, a disconnected client would end the whole process by SIGPIPE.
                let count = send(
                    connection,
                    bytes.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }
}
