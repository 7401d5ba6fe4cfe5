import Foundation
import Glibc
import Synchronization
import Testing

/// A folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        // Short: the path of a socket has at most 107 bytes.
        var template = "/tmp/kf-redis-XXXXXX".utf8CString.map { $0 }
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A Redis server of a test, without files of its own.
final class RedisServer: Sendable {
    /// The program; in Debian the package `redis-tools` has it under another name.
    private static let program =
        [
            "/usr/bin/redis-server", "/usr/bin/valkey-server", "/usr/bin/redis-check-rdb",
        ].first { FileManager.default.isExecutableFile(atPath: $0) } ?? ""

    static var isInstalled: Bool { !program.isEmpty }

    let folder: TemporaryFolder
    private let arguments: [String]
    private let process: Mutex<Process?>

    var socket: String { "\(folder.path)/socket" }
    var url: String { "unix://\(socket)" }

    /// Starts a server that listens to a socket in its folder.
    init(_ arguments: [String] = []) throws {
        folder = try TemporaryFolder()
        self.arguments = arguments
        process = Mutex(nil)
        let link = "\(folder.path)/redis-server"
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: Self.program
        )
        try start()
    }

    deinit { stop() }

    /// Starts the server, and returns when it accepts connections.
    func start() throws {
        let process = Process()
        // Its own path decides what the program does.
        process.executableURL = URL(fileURLWithPath: "\(folder.path)/redis-server")
        process.arguments =
            ["--unixsocket", socket, "--dir", folder.path, "--save", "", "--appendonly", "no"]
            + (arguments.contains("--port") ? [] : ["--port", "0"]) + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var text = ""
        while !text.contains("eady to accept connections") {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "the server ended: \(text)")
            text += String(decoding: data, as: UTF8.self)
        }
        // It would stop if nothing read what it writes.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        self.process.withLock { $0 = process }
    }

    /// Ends the server.
    func stop() {
        let old = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let old else { return }
        kill(old.processIdentifier, SIGKILL)
        old.waitUntilExit()
    }
}

/// A server that speaks as the test wants.
final class FakeServer: Sendable {
    let folder: TemporaryFolder
    private let listener: Int32
    private let isOver = Mutex(false)

    var url: String { "unix://\(folder.path)/socket" }

    /// Starts a server that calls `serve` with the descriptor of each connection, and closes it
    /// afterwards.
    ///
    /// - Parameters:
    ///   - port: The port of 127.0.0.1 to listen to; nil for a socket in the server's folder.
    ///   - serve: Serves a connection, on a thread of its own.
    /// - Throws: A failed requirement, if there is no such place.
    init(port: UInt16? = nil, _ serve: @escaping @Sendable (Int32) -> Void) throws {
        folder = try TemporaryFolder()
        let family = port == nil ? AF_UNIX : AF_INET
        listener = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
        var result: Int32 = -1
        func bind<Address>(_ address: Address) {
            let size = socklen_t(MemoryLayout<Address>.size)
            result = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(listener, $0, size)
                }
            }
        }
        if let port {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            bind(address)
        } else {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) {
                $0.copyBytes(from: "\(folder.path)/socket".utf8)
            }
            bind(address)
        }
        try #require(result == 0 && listen(listener, 16) == 0)
        Thread { [listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread {
                    serve(connection)
                    close(connection)
                }.start()
            }
        }.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    static func write(_ text: String, to connection: Int32) {
        let bytes = Array(text.utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads until the other side has sent this many commands; false at the end.
    static func read(commands: Int, from connection: Int32) -> Bool {
        var found = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while found < commands {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            found += buffer[..<count].count { $0 == UInt8(ascii: "*") }
        }
        return true
    }
}
