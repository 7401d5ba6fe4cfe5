package import Foundation

/// A real server from the system's packages, with TLS, HTTP/2, gzip, ranges and passwords.
///
/// Serves a folder at `/`, the same with a password (`me`, `pw`) at `/secret/`, and with 100 bytes
/// per second at `/slow/`. The `X-Connection` header of a response numbers the connection.
package final class NginxServer: Sendable {
    private let folder: TemporaryDirectory
    private let plainPort: UInt16
    private let securePort: UInt16
    private let host: String

    /// The system's nginx, or else the one unpacked by `Scripts/bootstrap.sh --tests`.
    private static let nginx: String = {
        let system = "/usr/sbin/nginx"
        guard !FileManager.default.isExecutableFile(atPath: system) else { return system }
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        return root.appendingPathComponent(".build-nested/nginx\(system)").path
    }()
    static let openssl = "/usr/bin/openssl"

    /// Whether the programs that it needs are installed.
    package static var isAvailable: Bool {
        [nginx, openssl].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts the server; it is listening when this returns.
    ///
    /// - Parameters:
    ///   - authority: Issues the server's certificate; nil for a self-signed one.
    ///   - asksForClient: Whether TLS clients must present a certificate of the authority.
    ///   - address: The address on which it listens, if not that of `localhost`, for which its
    ///     certificate is.
    /// - Throws: An error if a program fails.
    package init(
        authority: TestAuthority? = nil,
        asksForClient: Bool = false,
        address: String? = nil
    ) throws {
        host = address ?? "localhost"
        folder = try TemporaryDirectory()
        let path = folder.url.path
        for name in ["root", "root/secret", "root/slow"] {
            try FileManager.default.createDirectory(
                at: folder.file(name),
                withIntermediateDirectories: true
            )
        }
        try authority?.write(to: folder)
        if authority == nil { try Self.signItself(path) }
        try Data("me:{PLAIN}pw\n".utf8).write(to: folder.file("passwords"))
        // Another test may take a port after it was found free.
        var ports = try (ImageServer.freePort(), ImageServer.freePort())
        for attempt in 1...5 {
            let configuration = Self.configuration(
                path,
                "\(address ?? "127.0.0.1"):\(ports.0)",
                "\(address ?? "127.0.0.1"):\(ports.1)",
                asksForClient
            )
            try Data(configuration.utf8).write(to: folder.file("nginx.conf"))
            do {
                try Self.control([], in: path)
                break
            } catch {
                guard attempt < 5 else { throw error }
                ports = try (ImageServer.freePort(), ImageServer.freePort())
            }
        }
        (plainPort, securePort) = ports
    }

    deinit {
        // It may have died with its test; then there is nothing to stop.
        try? Self.control(["-s", "stop"], in: folder.url.path)
    }

    private static func signItself(_ path: String) throws {
        try run(
            openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", "\(path)/key.pem", "-out", certificateFile(path),
            ]
        )
    }

    /// The file of the certificate, which is self-signed without an authority.
    package var certificateFile: String { Self.certificateFile(folder.url.path) }

    private static func certificateFile(_ folder: String) -> String { "\(folder)/certificate.pem" }

    /// Writes a file to the served folder.
    ///
    /// - Throws: An error if it cannot be written.
    package func serve(_ data: Data, at path: String) throws {
        try data.write(to: folder.file("root/\(path)"))
    }

    /// The URL over plain HTTP.
    package func url(_ path: String) -> URL { url("http", plainPort, path) }

    /// The URL over TLS, which supports HTTP/2.
    package func secureURL(_ path: String) -> URL { url("https", securePort, path) }

    private func url(_ scheme: String, _ port: UInt16, _ path: String) -> URL {
        guard let url = URL(string: "\(scheme)://\(host):\(port)/\(path)") else {
            preconditionFailure("\(path) is not a path")
        }
        return url
    }

    private static func control(_ arguments: [String], in folder: String) throws {
        try run(nginx, ["-q", "-p", folder, "-c", "\(folder)/nginx.conf"] + arguments)
    }

    // Not Foundation's `Process`: it waits until all descendants have exited, but a daemon stays.
    static func run(_ program: String, _ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var process = pid_t()
        let code = posix_spawn(&process, program, &actions, nil, words, environ)
        guard code == 0 else { throw ServerSocket.Failure(call: program, code: code) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw ServerSocket.Failure(call: program, code: status) }
    }

    private static func configuration(
        _ path: String,
        _ plain: String,
        _ secure: String,
        _ asksForClient: Bool
    ) -> String {
        let clients =
            asksForClient ? "ssl_verify_client on; ssl_client_certificate \(path)/root.pem;" : ""
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(path)/\($0);" }.joined(separator: "\n")
        return """
            \(getuid() == 0 ? "user root;" : "")
            worker_processes 1;
            pid \(path)/nginx.pid;
            error_log \(path)/error.log;
            events { worker_connections 512; }
            http {
                access_log off;
                \(temporary)
                default_type application/octet-stream;
                keepalive_requests 100000;
                gzip on;
                gzip_types *;
                add_header X-Connection $connection;
                server {
                    listen \(plain);
                    listen \(secure) ssl http2;
                    server_name localhost;
                    ssl_certificate \(certificateFile(path));
                    ssl_certificate_key \(path)/key.pem;
                    \(clients)
                    root \(path)/root;
                    location /secret/ {
                        auth_basic "vault";
                        auth_basic_user_file \(path)/passwords;
                    }
                    location /slow/ { limit_rate 100; }
                }
            }
            """
    }
}
