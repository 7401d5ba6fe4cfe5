import Foundation
import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Loads sources from web servers, within the limits of the configuration.
///
/// The library keeps them, revalidates them by the rules of HTTP, and shares downloads among
/// requests and, with a shared storage, among machines.
struct WebSources: Sendable {
    private let manager: KingfisherManager
    private let metrics: ServiceMetrics
    private let options: KingfisherOptionsInfo
    private let passedNames: [String]
    private let customFields: [HeaderField]
    private let observation: LoadObservation
    /// Hosts whose names did not resolve: resolvers repeat such lookups for every request.
    private let unresolvedHosts = RecentFailures(seconds: 5)

    /// Makes a loader.
    ///
    /// - Parameters:
    ///   - configuration: The names of passed fields.
    ///   - manager: See ``KingfisherManager/forSources(_:transport:sharing:)``.
    ///   - metrics: Count downloads, and lookups that fail.
    init(
        _ configuration: ServiceConfiguration,
        manager: KingfisherManager,
        metrics: ServiceMetrics
    ) {
        (self.manager, self.metrics) = (manager, metrics)
        observation = metrics.observe(manager)
        passedNames = configuration.sources.responseHeaders
        customFields = configuration.sources.customFields
        options =
            [.httpCaching, .callbackQueue(.untouch), .memoryCacheExpiration(.seconds(60))]
            + (configuration.caches.keepsSourcesOnDisk ? [] : [.cacheMemoryOnly])
    }

    /// Loads a source.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - headers: Fields of the request.
    ///   - key: The name of the source in the caches.
    /// - Returns: The file, and whether it was in a cache.
    /// - Throws: ``ServiceError``; `CancellationError`.
    func file(
        at url: URL,
        _ headers: SourceHeaders,
        key: String
    ) async throws -> (file: SourceFile, isCached: Bool) {
        let known = url.host.flatMap { unresolvedHosts[$0.lowercased()] }
        let modifier = SourceRequest(custom: customFields, headers: headers, metrics: metrics)
        do {
            let original = try await manager.retrieveOriginalData(
                with: .network(KF.ImageResource(downloadURL: url, cacheKey: key)),
                options: options + [.requestModifier(modifier)]
                    + (known == nil ? [] : [.onlyFromCache])
            )
            let isCached = original.cacheType != .none
            if !isCached { metrics.loaded(original.data.count) }
            return (file(original, key), isCached)
        } catch let error as KingfisherError where error.isCancellation {
            throw CancellationError()
        } catch let error as KingfisherError {
            if let known { throw known }
            let failure = ServiceError(loading: error)
            if case .cannotResolve(let host, _) = error.transfer {
                unresolvedHosts.add(failure, for: host.lowercased())
            }
            throw failure
        }
    }

    private func file(_ original: RetrieveDataResult, _ key: String) -> SourceFile {
        let response = original.response
        return SourceFile(
            data: original.data,
            key: key,
            entityTag: response?.value(for: "ETag"),
            lastModified: response?.value(for: "Last-Modified"),
            cacheControl: response?.value(for: "Cache-Control"),
            expires: response?.value(for: "Expires"),
            date: response?.value(for: "Date"),
            age: response?.value(for: "Age").flatMap { Int($0) } ?? 0,
            passedFields: passedNames.compactMap { name in
                response?.value(for: name).flatMap {
                    $0.isHeaderValue ? HeaderField(name: name, value: $0) : nil
                }
            }
        )
    }

    /// Forgets a source.
    func remove(_ key: String) async {
        // It throws for a key without a file, where nothing is left to do.
        try? await manager.cache.removeImage(forKey: key)
        await manager.cache.flush()
    }

    /// This machine's use of the shared storage; empty without one.
    var sharedStatistics: [SharedStorageStatistics] { manager.cache.allSharedStorageStatistics }

    /// Waits until sources are on disk and in the shared storage.
    func settle() async { await manager.cache.flush() }
}

extension KingfisherManager {
    /// Makes the manager that loads sources, with caches of its own.
    ///
    /// - Parameters:
    ///   - configuration: Limits, addresses, sizes and the folder.
    ///   - transport: Sends the requests.
    ///   - storage: The storage that other machines use too, with its limits.
    /// - Returns: The manager.
    /// - Throws: ``ConfigurationError`` if the folder cannot be created.
    static func forSources(
        _ configuration: ServiceConfiguration,
        transport: any HTTPTransport,
        sharing storage: (any SharedImageStorage, SharedStorageSettings)?
    ) throws(ConfigurationError) -> KingfisherManager {
        let sources = configuration.sources
        let caches = configuration.caches
        let cache =
            try caches.folder("sources", size: caches.sourceDiskSize, memory: caches.sourceSize)
            ?? ImageCache(memoryLimit: caches.sourceSize)
        cache.httpCachingRules = HTTPCachingRules(
            isShared: true,
            keptFields: Set(sources.responseHeaders)
        )
        if let (storage, settings) = storage { cache.useSharedStorage(storage, settings: settings) }
        let downloader = ImageDownloader(
            name: "kf-serve",
            transport: SourceTransport(
                base: transport,
                ignoresCertificates: sources.ignoresCertificates
            )
        )
        downloader.downloadTimeout = sources.timeout / .seconds(1)
        downloader.transferSettings = sources.transferSettings
        let session = URLSessionConfiguration.ephemeral
        session.httpMaximumConnectionsPerHost = 32
        downloader.sessionConfiguration = session
        // Interrupted downloads would be kept in the user's folder.
        downloader.resumption = nil
        return KingfisherManager(downloader: downloader, cache: cache)
    }
}

extension ServiceConfiguration.Caches {
    fileprivate var keepsSourcesOnDisk: Bool { path != nil && sourceDiskSize > 0 }
}

extension ServiceConfiguration.Sources {
    /// The limits on transfers.
    fileprivate var transferSettings: TransferSettings {
        var settings = TransferSettings()
        settings.totalTimeout = timeout
        if let maximalFileSize { settings.maxBodyBytes = maximalFileSize }
        settings.maxRedirects = maximalRedirects
        settings.extraHeaders = ["User-Agent": userAgent]
        var refused = Set(AddressRange.allCases)
        if allowsLoopback { refused.remove(.loopback) }
        if allowsLinkLocal { refused.remove(.linkLocal) }
        if allowsPrivate { refused.remove(.privateUse) }
        settings.addressPolicy = AddressPolicy(refusing: refused)
        return settings
    }
}

/// The request for a source.
private struct SourceRequest: ImageDownloadRequestModifier {
    let custom: [HeaderField]
    let headers: SourceHeaders
    let metrics: ServiceMetrics

    /// Called when a request waits for a download.
    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? {
        { [metrics] _ in metrics.waitsForSource() }
    }

    func modified(for request: URLRequest) -> URLRequest? {
        var request = request
        for field in custom + headers.passed {
            switch field.name.lowercased() {
            case SourceTransport.credential: break
            case "authorization":
                request.setValue(field.value, forHTTPHeaderField: SourceTransport.credential)
            default: request.setValue(field.value, forHTTPHeaderField: field.name)
            }
        }
        // A minute after its end a source is still used without asking the server again, because
        // pages often show several sizes of one image. Only for the library: see SourceTransport.
        request.setValue("max-stale=60", forHTTPHeaderField: "Cache-Control")
        request.setValue(ServiceLoop.next(headers.loop), forHTTPHeaderField: "CDN-Loop")
        return request
    }
}

/// Changes the requests for sources when they are sent.
///
/// - The permission to use stale responses is for the library's caches. A cache between the service
///   and the source would use it too, and answer with the old source after it was removed here.
/// - If certificates are ignored, any certificate of the host that is asked first is accepted, and
///   none of redirects' hosts.
/// - `Authorization` has another name until the request is sent: shared caches store few responses
///   to requests with it (RFC 9111, 3.5). Here that is not needed, because the keys contain the
///   fields of clients, and the service's own credentials are the same for all.
private struct SourceTransport: HTTPTransport {
    /// The name of `Authorization` in the requests of the library, in lower case; no other field has it.
    static let credential = "kf-authorization"

    let base: any HTTPTransport
    let ignoresCertificates: Bool

    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        var (request, settings) = (request, settings)
        request.setValue(nil, forHTTPHeaderField: "Cache-Control")
        if let credential = request.value(forHTTPHeaderField: Self.credential) {
            request.setValue(nil, forHTTPHeaderField: Self.credential)
            request.setValue(credential, forHTTPHeaderField: "Authorization")
        }
        if ignoresCertificates, let host = request.url?.host?.lowercased() {
            settings.trustedHosts = [host]
        }
        return base.start(request, settings: settings, handler: handler)
    }
}

// MARK: - Errors

extension KingfisherError {
    /// The error of a failed transfer; nil for all others.
    fileprivate var transfer: TransferError? {
        guard case .responseError(.URLSessionError(let reason)) = self else { return nil }
        return (reason as? URLError)?.userInfo[NSUnderlyingErrorKey] as? TransferError
    }
}

extension ServiceError {
    /// The error of a source that cannot be loaded.
    init(loading error: KingfisherError) {
        switch error {
        case .responseError(.invalidHTTPStatusCode(let response)):
            self.init(sourceStatus: response.statusCode)
        default:
            guard let transfer = error.transfer else {
                self.init(rendering: error)
                return
            }
            self.init(transfer)
        }
    }

    /// The error of a source's status.
    private init(sourceStatus status: Int) {
        switch status {
        case 404, 410:
            self.init(
                404,
                "The source was not found",
                "Check its address",
                detail: "status \(status)"
            )
        case 500...:
            self.init(
                502,
                "The source's server failed",
                "Try again later",
                detail: "status \(status)"
            )
        default:
            self.init(
                404,
                "The source cannot be loaded",
                "Check its address",
                detail: "status \(status)"
            )
        }
        sourceStatus = status
    }

    /// The error of a failed transfer.
    private init(_ error: TransferError) {
        let detail = error.description
        switch error {
        case .addressRefused:
            self.init(
                404,
                "The address of the source is not allowed",
                "Name a public one",
                detail: detail
            )
        case .redirectRefused, .tooManyRedirects, .redirectLoop:
            self.init(
                404,
                "The redirects of the source are not allowed",
                "Name their end",
                detail: detail
            )
        case .unsupportedScheme, .invalidRequest:
            self.init(404, "The address of the source is not valid", "Correct it", detail: detail)
        case .timedOut:
            self.init(504, "The source took too long", "Try again later", detail: detail)
        case .bodyTooLarge:
            self.init(413, "The source is too large", "Name a smaller one", detail: detail)
        case .cannotKeepBody:
            self.init(
                503,
                "The service has no room for the source",
                "Try again later",
                detail: detail
            )
        // Without an answer of the server nothing is known about the source: the name may resolve,
        // and the connection may succeed, a moment later.
        default: self.init(502, "The source cannot be loaded", "Try again later", detail: detail)
        }
    }
}
