import Foundation
import Kingfisher

extension ServiceConfiguration.Stores {
    /// The stores that are configured.
    var used: Set<ObjectStore> {
        let choices: [(ObjectStore, Bool)] = [
            (.s3, usesS3), (.google, usesGoogle), (.azure, usesAzure), (.swift, usesSwift),
        ]
        return Set(choices.filter(\.1).map(\.0))
    }

    /// The signers of the stores that are configured.
    ///
    /// - Parameter client: Asks for keys and tokens.
    /// - Returns: The signers.
    /// - Throws: ``ConfigurationError`` for a key that is missing or malformed.
    func signers(
        _ client: TrustedClient
    ) throws(ConfigurationError) -> [ObjectStore: any ObjectSigner] {
        var signers: [ObjectStore: any ObjectSigner] = [:]
        if usesS3 { signers[.s3] = S3Storage(self, client) }
        if usesGoogle { signers[.google] = try GoogleStorage(self, client) }
        if usesAzure { signers[.azure] = try AzureStorage(self, client) }
        if usesSwift { signers[.swift] = try SwiftStorage(self, client) }
        return signers
    }
}

/// A request for an object, with the proof that the service may read it.
struct SignedRequest: Sendable, Hashable {
    var url: URL
    var fields: [HeaderField] = []
}

/// Makes requests that a store accepts.
protocol ObjectSigner: Sendable {
    /// The buckets that may be read.
    var buckets: BucketRules { get }

    /// The request for an object; equal within a minute, so that clients share a download.
    ///
    /// - Parameters:
    ///   - bucket: The bucket, which ``buckets`` allows.
    ///   - key: The object's key, not encoded.
    /// - Returns: The request.
    /// - Throws: ``ServiceError``; `CancellationError`.
    func request(bucket: String, key: String) async throws -> SignedRequest

    /// Asks for new credentials next time, because the store has refused those that are kept.
    ///
    /// - Returns: Whether another attempt may succeed.
    func forgetCredentials() async -> Bool
}

extension ObjectSigner {
    func forgetCredentials() async -> Bool { false }
}

/// The buckets that may be read.
struct BucketRules: Sendable, Hashable {
    /// Empty for all.
    var allowed: [String]
    var denied: [String]

    /// - Throws: ``ServiceError`` 404 for a bucket that must not be read.
    func check(_ bucket: String) throws(ServiceError) {
        // A bucket of S3 is part of the host, which has the same meaning in capitals.
        let isDenied = denied.contains { $0.lowercased() == bucket.lowercased() }
        guard !isDenied, allowed.isEmpty || allowed.contains(bucket) else {
            throw ServiceError(404, "The bucket is not allowed", "Name one that is configured")
        }
    }
}

/// Loads objects from the stores that are configured.
struct ObjectStores: Sendable {
    private let signers: [ObjectStore: any ObjectSigner]

    /// - Throws: ``ConfigurationError`` for a key that is missing or malformed.
    init(
        _ configuration: ServiceConfiguration,
        _ transport: any HTTPTransport
    ) throws(ConfigurationError) {
        let client = TrustedClient(transport: transport, timeout: configuration.sources.timeout)
        signers = try configuration.stores.signers(client)
    }

    /// Takes signers.
    init(_ signers: [ObjectStore: any ObjectSigner]) { self.signers = signers }

    /// Loads an object, once more with new credentials if a store has refused the old ones.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - bucket: The bucket.
    ///   - key: The object's key.
    ///   - load: Loads a request.
    /// - Returns: The result of `load`.
    /// - Throws: ``ServiceError``; `CancellationError`.
    func load<Result: Sendable>(
        _ store: ObjectStore,
        _ bucket: String,
        _ key: String,
        _ load: (SignedRequest) async throws -> Result
    ) async throws -> Result {
        guard let signer = signers[store] else {
            let scheme = store.rawValue
            throw ServiceError(404, "There are no sources \(scheme)://", "Name a source of the web")
        }
        try signer.buckets.check(bucket)
        do {
            return try await load(try await signer.request(bucket: bucket, key: key))
        } catch let error as ServiceError where [400, 401].contains(error.sourceStatus) {
            // S3 has the status 400 for keys of roles that have ended.
            guard await signer.forgetCredentials() else { throw error }
            return try await load(try await signer.request(bucket: bucket, key: key))
        }
    }
}

extension Date {
    /// The beginning of this minute: requests with the same signature share a download.
    static var thisMinute: Date {
        Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 60).rounded(.down) * 60)
    }
}

extension URL {
    /// The text without a slash at the end.
    var base: String {
        let text = absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
