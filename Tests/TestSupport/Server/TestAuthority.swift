package import Foundation

/// A root and an intermediate authority, with certificates for a server and a client.
package final class TestAuthority: Sendable {
    /// One of the certificates.
    package enum Certificate: String, Sendable {
        /// Self-signed.
        case root
        /// Issued by the root.
        case intermediate
        /// Issued by the intermediate, for `localhost` and no address.
        case server
        /// Issued by the root.
        case client
    }

    private let folder: TemporaryDirectory

    /// Creates the certificates.
    ///
    /// - Throws: An error if `openssl` fails.
    package init() throws {
        folder = try TemporaryDirectory()
        let extensions = """
            [req]
            distinguished_name = name
            [name]
            [authority]
            basicConstraints = critical, CA:TRUE
            [server]
            subjectAltName = DNS:localhost
            [client]
            extendedKeyUsage = clientAuth
            """
        try Data(extensions.utf8).write(to: folder.file("extensions"))
        try make(.root, by: nil, "authority")
        try make(.intermediate, by: .root, "authority")
        try make(.server, by: .intermediate, "server")
        try make(.client, by: .root, "client")
    }

    /// A certificate in PEM.
    package func pem(_ certificate: Certificate) throws -> Data {
        try Data(contentsOf: folder.file("\(certificate).pem"))
    }

    /// A certificate's private key in PEM.
    package func key(_ certificate: Certificate) throws -> Data {
        try Data(contentsOf: folder.file("\(certificate).key"))
    }

    /// The hash of a certificate's public key, computed with the commands of the documentation.
    package func publicKeyHash(_ certificate: Certificate) throws -> Data {
        let path = folder.url.path
        let (key, hash) = ("\(path)/public", "\(path)/hash")
        try openssl("x509", "-in", "\(path)/\(certificate).pem", "-pubkey", "-noout", "-out", key)
        try openssl("pkey", "-pubin", "-in", key, "-outform", "der", "-out", "\(key).der")
        try openssl("dgst", "-sha256", "-binary", "-out", hash, "\(key).der")
        return try Data(contentsOf: URL(fileURLWithPath: hash))
    }

    /// Writes the server's certificates and its key to the server's folder.
    func write(to server: TemporaryDirectory) throws {
        try (pem(.server) + pem(.intermediate)).write(to: server.file("certificate.pem"))
        try key(.server).write(to: server.file("key.pem"))
        try pem(.root).write(to: server.file("root.pem"))
    }

    private func make(
        _ certificate: Certificate,
        by authority: Certificate?,
        _ extensions: String
    ) throws {
        let path = folder.url.path
        let signer = authority.map { ["-CA", "\(path)/\($0).pem", "-CAkey", "\(path)/\($0).key"] }
        try NginxServer.run(
            NginxServer.openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=\(certificate)",
                "-config", "\(path)/extensions", "-extensions", extensions,
                "-keyout", "\(path)/\(certificate).key", "-out", "\(path)/\(certificate).pem",
            ] + (signer ?? [])
        )
    }

    private func openssl(_ arguments: String...) throws {
        try NginxServer.run(NginxServer.openssl, arguments)
    }
}
