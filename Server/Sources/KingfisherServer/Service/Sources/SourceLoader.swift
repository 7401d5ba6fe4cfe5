import Foundation
import HTTPTypes
@_spi(Server) import Kingfisher

/// Loads the sources of requests: from the web, from a folder, or from a store of
/// objects.
///
/// A source that does not exist is remembered for ten seconds.
struct SourceLoader: Sendable {
    private let web: WebSources
    private let local: LocalSources?
    private let stores: ObjectStores
    private let failures = RecentFailures(seconds: 10)
    private let keys: CacheKeys
    private let requestNames: [HTTPField.Name]
    private let passesCookies: Bool
    private let passesCookiesToAll: Bool
    private let cookieSite: String?

    /// Makes a loader.
    ///
    /// - Throws: ``ConfigurationError`` if the folder of local sources does not exist, or for the keys
    ///   of a store.
    init(
        _ configuration: ServiceConfiguration,
        metrics: ServiceMetrics,
        manager: KingfisherManager,
        transport: any HTTPTransport
    ) throws(ConfigurationError) {
        let sources = configuration.sources
        web = WebSources(configuration, manager: manager, metrics: metrics)
        stores = try ObjectStores(configuration, transport)
        local = try sources.localSources()
        keys = CacheKeys(configuration)
        requestNames = sources.requestHeaders.compactMap { HTTPField.Name($0) }
        passesCookies = sources.passesCookies
        passesCookiesToAll = sources.passesCookiesToAll
        cookieSite = sources.cookieBaseURL.flatMap(\.site)
    }

    /// The fields of a client's request that a source gets; only web sources depend on the client.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - host: The host and port of the request, if known.
    ///   - source: The source; it gets cookies only if it is on the site of the cookies, unless all web
    ///     sources get them.
    /// - Returns: The fields.
    func headers(
        _ fields: HTTPFields,
        to host: String?,
        for source: ImageReference
    ) -> SourceHeaders {
        guard case .web(let url) = source else { return SourceHeaders(loop: fields[.cdnLoop]) }
        var passed = requestNames.compactMap { name in
            fields[name].map { HeaderField(name: name.rawName, value: $0) }
        }
        if passesCookies, let cookies = fields[.cookie],
            passesCookiesToAll || getsCookies(url, ofRequestTo: host)
        {
            passed.append(HeaderField(name: "cookie", value: cookies))
        }
        return SourceHeaders(passed: passed, loop: fields[.cdnLoop])
    }

    /// Whether a source is on the site of the cookies.
    private func getsCookies(_ source: URL, ofRequestTo host: String?) -> Bool {
        // Behind a proxy the scheme of the request is unknown, and so is the port that it implies.
        cookieSite.map { $0 == source.site } ?? (source.authority == host?.lowercased())
    }

    /// Loads a source.
    ///
    /// - Parameters:
    ///   - reference: The source.
    ///   - headers: Fields of the request.
    /// - Returns: The source, and whether it was in a cache.
    /// - Throws: ``ServiceError``; `CancellationError`.
    func file(
        _ reference: ImageReference,
        _ headers: SourceHeaders
    ) async throws -> (file: SourceFile, isCached: Bool) {
        let key = keys.source(reference, headers.passed)
        if case .local(let path) = reference { return (try await localFile(path, key), false) }
        let attempt = keys.attempt(reference, headers.passed)
        let mark = failures.mark(attempt)
        if let failure = failures[attempt] { throw failure }
        do {
            return try await download(reference, headers, key)
        } catch let error as ServiceError where error.status == 404 {
            failures.add(error, for: attempt, mark)
            throw error
        }
    }

    private func localFile(_ path: String, _ key: String) async throws -> SourceFile {
        guard let local else {
            throw ServiceError(404, "There are no local sources", "Name a source of the web")
        }
        return try await local.file(at: path, key: key)
    }

    private func download(
        _ reference: ImageReference,
        _ headers: SourceHeaders,
        _ key: String
    ) async throws -> (file: SourceFile, isCached: Bool) {
        switch reference {
        case .web(let url): return try await web.file(at: url, headers, key: key)
        case .object(let store, let bucket, let name):
            return try await stores.load(store, bucket, name) { request in
                let signed = SourceHeaders(passed: request.fields, loop: headers.loop)
                return try await web.file(at: request.url, signed, key: key)
            }
        case .local:
            throw ServiceError(404, "There are no local sources", "Name a source of the web")
        }
    }

    /// Forgets a source, and that it does not exist.
    ///
    /// - Parameters:
    ///   - reference: The source.
    ///   - fields: Fields that were passed on from clients.
    func remove(_ reference: ImageReference, fields: [HeaderField]) async {
        await web.remove(keys.source(reference, fields))
        // Last, because requests meanwhile may have read from the cache that there is no source.
        failures.remove(keys.attempt(reference, fields))
    }

    /// This machine's use of the shared storage for sources; nil without one.
    var sharedStatistics: [SharedStorageStatistics] { web.sharedStatistics }

    /// Waits until sources are on disk and in the shared storage.
    func settle() async { await web.settle() }
}

/// The fields of a request for a source that come from the client.
struct SourceHeaders: Sendable {
    /// Fields that are passed on; they are part of the keys of caches.
    var passed: [HeaderField] = []
    /// The services that the request has passed, as received.
    ///
    /// Not part of any key: it does not select the bytes, and a client could multiply keys by it.
    var loop: String?
}

extension URL {
    /// The host and the port, which the scheme implies if the URL names none.
    fileprivate var site: String? {
        let implied = scheme.flatMap { SourceRules.defaultPort[$0.lowercased()] }
        return host.map { "\($0.lowercased()):\(port.map(String.init) ?? implied ?? "")" }
    }
}
