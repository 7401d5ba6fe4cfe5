import Foundation
import HTTPTypes
import Kingfisher

/// Loads the sources of requests: from the web, from a folder, or from S3.
///
/// Equal requests share one download. Sources stay in memory for a minute, because pages often
/// show several sizes of one image; a source that does not exist is remembered for ten seconds.
struct SourceLoader: Sendable {
    /// A source that cannot be had.
    private final class Failure: Sendable, CacheCostCalculable {
        let error: ServiceError

        init(_ error: ServiceError) { self.error = error }

        var cacheCost: Int { 1024 }
    }

    private static let fileLifetime = StorageExpiration.seconds(60)
    private static let failureLifetime = StorageExpiration.seconds(10)

    private let web: WebSources
    private let local: LocalSources?
    private let s3: S3Signer?
    private let files: MemoryStorage.Backend<SourceFile>
    private let failures: MemoryStorage.Backend<Failure>
    private let downloads = SharedWork<SourceFile>()
    private let requestNames: [HTTPField.Name]
    private let metrics: ServiceMetrics

    /// Makes a loader.
    ///
    /// - Throws: ``ConfigurationError`` if the folder of local sources does not exist.
    init(
        _ configuration: ServiceConfiguration,
        metrics: ServiceMetrics,
        transport: (any HTTPTransport)?
    ) throws(ConfigurationError) {
        let sources = configuration.sources
        self.metrics = metrics
        web = WebSources(sources, transport: transport ?? CurlTransport())
        s3 = try S3Signer(sources)
        let root = sources.localRoot
        local = root.flatMap {
            LocalSources(root: $0, maximalSize: sources.maximalFileSize ?? 256 << 20)
        }
        if let root, local == nil {
            throw ConfigurationError(
                name: "IMGPROXY_LOCAL_FILESYSTEM_ROOT",
                expected: "a folder that exists",
                found: root
            )
        }
        files = MemoryStorage.Backend(
            config: .init(totalCostLimit: configuration.caches.sourceSize)
        )
        // 4 MiB: some four thousand failures.
        failures = MemoryStorage.Backend(config: .init(totalCostLimit: 4 << 20))
        let names = sources.requestHeaders + (sources.passesCookies ? ["cookie"] : [])
        requestNames = names.compactMap { HTTPField.Name($0) }
    }

    /// The fields of a client's request that are passed on to sources.
    func passedFields(_ fields: HTTPFields) -> [HeaderField] {
        requestNames.compactMap { name in
            fields[name].map { HeaderField(name: name.rawName, value: $0) }
        }
    }

    /// Loads a source.
    ///
    /// - Parameters:
    ///   - reference: The source.
    ///   - fields: Fields that are passed on from the client.
    /// - Returns: The source, and whether it was in memory.
    /// - Throws: ``ServiceError``; `CancellationError`.
    func file(
        _ reference: ImageReference,
        fields: [HeaderField]
    ) async throws -> (file: SourceFile, isCached: Bool) {
        let key = Self.key(reference, fields)
        if case .local(let path) = reference {
            guard let local else { throw ServiceError(404, "There are no local sources") }
            return (try await local.file(at: path, key: key), false)
        }
        if let file = files.value(forKey: key, extendingExpiration: .none) { return (file, true) }
        if let failure = failures.value(forKey: key, extendingExpiration: .none) {
            throw failure.error
        }
        let file = try await downloads.value(for: key) { [self] in
            try await download(reference, fields, key)
        }
        return (file, false)
    }

    /// Forgets a source, and that it does not exist.
    func remove(_ reference: ImageReference) {
        let key = Self.key(reference, [])
        files.remove(forKey: key)
        failures.remove(forKey: key)
    }

    private func download(
        _ reference: ImageReference,
        _ fields: [HeaderField],
        _ key: String
    ) async throws -> SourceFile {
        do {
            let file: SourceFile
            switch reference {
            case .web(let url): file = try await web.file(at: url, fields: fields, key: key)
            case .s3(let bucket, let name):
                guard let s3 else { throw ServiceError(404, "There are no sources of S3") }
                let request = try s3.request(bucket: bucket, key: name, at: Date())
                file = try await web.file(at: request.url, fields: request.fields, key: key)
            case .local: throw ServiceError(404, "There are no local sources")
            }
            metrics.loaded(file.data.count)
            if !file.forbidsStoring {
                files.store(value: file, forKey: key, expiration: Self.fileLifetime)
            }
            return file
        } catch let error as ServiceError where error.status == 404 {
            failures.store(value: Failure(error), forKey: key, expiration: Self.failureLifetime)
            throw error
        }
    }

    /// Clients whose passed fields differ may see different sources.
    private static func key(_ reference: ImageReference, _ fields: [HeaderField]) -> String {
        let passed = fields.map { "\($0.name): \($0.value)" }
        return passed.isEmpty
            ? reference.canonicalText : "\(reference.canonicalText) \(Digest.tag(of: passed))"
    }
}
