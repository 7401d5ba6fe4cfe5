public import Foundation

/// The certificate that the client shows to a server that asks for one.
public struct ClientCertificate: Sendable, Hashable {
    /// The certificate in PEM, followed by those of its authorities if the server needs them.
    public var certificate: Data

    /// The certificate's private key in PEM.
    public var privateKey: Data

    /// What the private key is encrypted with; nil if it is not.
    public var password: String?

    /// Makes a certificate.
    public init(certificate: Data, privateKey: Data, password: String? = nil) {
        self.certificate = certificate
        self.privateKey = privateKey
        self.password = password
    }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// Says nothing of the key.
    public var description: String { "ClientCertificate" }

    /// Shows nothing of the key, as it does not belong into logs.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
