package import Foundation
import Synchronization

/// A server that sends scripted bytes over TLS to its only client, and can end without TLS's
/// `close_notify`.
///
/// It runs `openssl s_server`, which begins to send after the handshake, or once the client has sent
/// something.
package final class RawTLSServer: Sendable {
    /// Its URL; the certificate is for `localhost`.
    package let url: URL
    private let folder: TemporaryDirectory
    private let process: Process
    private let input: Int32
    private let isStopped = Atomic(false)

    /// Starts the server and sends bytes to its client.
    ///
    /// - Parameters:
    ///   - authority: Issues its certificate.
    ///   - protocolName: The ALPN name that it selects.
    ///   - start: The first bytes.
    ///   - flood: Bytes that follow without end; empty for none.
    ///   - isReady: Whether to begin, after these bytes of the client; nil for at once.
    /// - Throws: An error if `openssl` cannot be started.
    package init(
        authority: TestAuthority,
        protocolName: String? = nil,
        sending start: Data,
        flood: Data = Data(),
        when isReady: (@Sendable (Data) -> Bool)? = nil
    ) throws {
        folder = try TemporaryDirectory()
        try authority.write(to: folder)
        let port = try ImageServer.freePort()
        guard let url = URL(string: "https://localhost:\(port)/a") else {
            preconditionFailure("a port is part of a URL")
        }
        self.url = url
        // A pair of sockets, because writing to a pipe without a reader is a signal.
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw ServerSocket.Failure(call: "socketpair", code: errno)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        input = ends[0]
        process = Process()
        process.executableURL = URL(fileURLWithPath: NginxServer.openssl)
        process.arguments =
            [
                "s_server", "-quiet", "-4", "-accept", "\(port)",
                "-cert", folder.file("certificate.pem").path,
                "-cert_chain", folder.file("certificate.pem").path,
                "-key", folder.file("key.pem").path,
            ] + (protocolName.map { ["-alpn", $0] } ?? [])
        process.standardInput = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let send: @Sendable () -> Void = { [input] in
            guard Self.send(start, to: input), !flood.isEmpty else { return }
            while Self.send(flood, to: input) {}
        }
        if isReady == nil { Thread(block: send).start() }
        // To its end, so that the server never waits for a reader.
        let reader = Thread {
            var received = Data()
            var isWaiting = isReady != nil
            while case let bytes = output.fileHandleForReading.availableData, !bytes.isEmpty {
                guard isWaiting else { continue }
                received += bytes
                guard isReady?(received) == true else { continue }
                isWaiting = false
                Thread(block: send).start()
            }
        }
        reader.start()
        Self.waitUntilListening(port)
    }

    deinit {
        stop()
        close(input)
    }

    /// Ends the process at once: its connection is closed, but not the TLS session.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        shutdown(input, Int32(SHUT_RDWR))
    }

    private static func send(_ data: Data, to descriptor: Int32) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Looks at the table of sockets, because a connection would be the server's only client.
    private static func waitUntilListening(_ port: UInt16) {
        let entry = Data("00000000:\(String(format: "%04X", Int(port))) 00000000:0000 0A".utf8)
        for _ in 0..<10_000 {
            let table = try? Data(contentsOf: URL(fileURLWithPath: "/proc/net/tcp"))
            if table?.range(of: entry) != nil { return }
            sched_yield()
        }
    }
}
