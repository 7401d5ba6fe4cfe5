public import Foundation

/// A certificate for servers that require one from the client.
public struct ClientCertificate: Sendable, Hashable {
    /// The certificate in PEM, followed by its intermediate certificates if the server needs them.
    public var certificate: Data

    /// The certificate's private key in PEM.
    public var privateKey: Data

    /// The password of the private key; nil if it is not encrypted.
    public var password: String?

    /// Makes a client certificate.
    ///
    /// - Parameters:
    ///   - certificate: The certificate in PEM, followed by its intermediate certificates if
    ///     needed.
    ///   - privateKey: The certificate's private key in PEM.
    ///   - password: The password of the private key; nil if it is not encrypted.
    public init(certificate: Data, privateKey: Data, password: String? = nil) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.password = password
    }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// The name of the type, without the key.
    public var description: String { "ClientCertificate" }

    /// Empty, so that the key does not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
