public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Downloads images over HTTP and HTTPS; callers of the same request share one transfer.
///
/// `@unchecked`: the class is open, and its delegates are weak references; its state is guarded by
/// a mutex.
open class ImageDownloader: @unchecked Sendable {
    /// The shared downloader, named "default".
    public static let `default` = ImageDownloader(name: "default")

    struct State {
        var timeout: TimeInterval = 15
        var trustedHosts: Set<String>?
        var configuration = URLSessionConfiguration.ephemeral
        var usesPipelining = false
        var transferSettings = TransferSettings()
        var resumption: DownloadResumption? = DownloadResumption()
        var partials: PartialBodies? = PartialBodies(DownloadResumption())
        var delegate = WeakReference()
        var responder = WeakReference()
        /// Different for every responder that was ever set.
        var trustOwner: UInt64 = 0
        var isNetworkConstrained: (@Sendable () -> Bool)?
        var networkMeter = NetworkMeter.system
    }

    private static let lastTrustOwner = Atomic<UInt64>(0)

    private let state = Mutex(State())
    private let name: String
    let downloads: SharedDownloads
    private let routes: RoutedTransport
    let processing: ProcessingJobs

    /// Makes a downloader.
    ///
    /// Its requests go to libcurl, or to ``defaultTransport`` while that is set.
    ///
    /// - Parameter name: Not empty; for people who read logs.
    public init(name: String) {
        (self.name, processing) = (Self.checked(name), ProcessingJobs())
        routes = RoutedTransport(CurlTransport(), yieldsToProcess: true)
        downloads = SharedDownloads(transport: routes)
        authenticationChallengeResponder = self
    }

    /// Makes a downloader that sends its requests with a transport of the caller's.
    ///
    /// - Parameters:
    ///   - name: Not empty; for people who read logs.
    ///   - transport: Carries requests out.
    public init(name: String, transport: any HTTPTransport) {
        (self.name, processing) = (Self.checked(name), ProcessingJobs())
        routes = RoutedTransport(transport, yieldsToProcess: false)
        downloads = SharedDownloads(transport: routes)
        authenticationChallengeResponder = self
    }

    /// Makes a downloader that processes within bounds of its own.
    init(name: String, processing: ProcessingJobs) {
        (self.name, self.processing) = (Self.checked(name), processing)
        routes = RoutedTransport(CurlTransport(), yieldsToProcess: true)
        downloads = SharedDownloads(transport: routes)
        authenticationChallengeResponder = self
    }

    private static func checked(_ name: String) -> String {
        precondition(!name.isEmpty, "a downloader needs a name")
        return name
    }

    /// Seconds of silence after which a download fails; 15 unless set.
    open var downloadTimeout: TimeInterval {
        get { state.withLock { $0.timeout } }
        set { state.withLock { $0.timeout = newValue } }
    }

    /// Hosts whose TLS certificate is accepted unchecked; nil for none.
    open var trustedHosts: Set<String>? {
        get { state.withLock { $0.trustedHosts } }
        set { state.withLock { $0.trustedHosts = newValue } }
    }

    /// What `URLSession` would be set up with; libcurl takes over what is listed here.
    ///
    /// | property | effect |
    /// |---|---|
    /// | `httpAdditionalHeaders` | added to every request that has none of that name |
    /// | `httpMaximumConnectionsPerHost` | as with `URLSession` |
    /// | `timeoutIntervalForResource` | the limit for a whole download, unless it is the default of seven days |
    /// | `protocolClasses` | are asked for every request, the first one first; see ``defaultTransport`` for another way to stub the network |
    /// | `timeoutIntervalForRequest` | none, as in the original: ``downloadTimeout`` counts |
    /// | cookies, proxies, credentials, URL caches, cellular and service types | none; one that differs from the default is logged once. Set the `Cookie` header, the environment's `https_proxy` and the like, ``authenticationChallengeResponder`` and the image cache instead |
    ///
    /// Assigning cancels the downloads that run.
    open var sessionConfiguration: URLSessionConfiguration {
        get { state.withLock { $0.configuration } }
        set {
            state.withLock { $0.configuration = newValue }
            let classes = newValue.protocolClasses ?? []
            routes.protocolClasses = classes.compactMap { $0 as? URLProtocol.Type }
            newValue.logIgnoredProperties()
            cancelAll()
        }
    }

    /// Kept for code that sets it; libcurl multiplexes where the server can and never pipelines.
    open var requestsUsePipelining: Bool {
        get { state.withLock { $0.usesPipelining } }
        set { state.withLock { $0.usesPipelining = newValue } }
    }

    /// Bounds and rules of every transfer: body size, redirects, addresses, schemes.
    ///
    /// Time-out, trusted hosts, priority, and the headers and connections of
    /// ``sessionConfiguration`` come from their own properties and win over these.
    public var transferSettings: TransferSettings {
        get { state.withLock { $0.transferSettings } }
        set { state.withLock { $0.transferSettings = newValue } }
    }

    /// Tells whether the network is metered now; asked for loads with a low-data source alone.
    ///
    /// Nil unless set. A program that has attached `KingfisherGTK`, as its first view does, then
    /// goes by GIO's `GNetworkMonitor`; elsewhere no network counts as metered, because nothing on
    /// Linux says so everywhere: give NetworkManager's answer, or a switch of the app's. Called on
    /// any thread, once for each download; answer from memory.
    public var isNetworkConstrained: (@Sendable () -> Bool)? {
        get { state.withLock { $0.isNetworkConstrained } }
        set { state.withLock { $0.isNetworkConstrained = newValue } }
    }

    /// Asked while ``isNetworkConstrained`` is nil.
    var networkMeter: NetworkMeter {
        get { state.withLock { $0.networkMeter } }
        set { state.withLock { $0.networkMeter = newValue } }
    }

    /// Where interrupted bodies are kept, to be continued by the next equal request; nil keeps
    /// none.
    ///
    /// By default in the user's cache folder, 256 MiB for three days at most. A delegate and a
    /// completion see the whole body and its status 200, as if it had come in one piece.
    public var resumption: DownloadResumption? {
        get { state.withLock { $0.resumption } }
        set {
            state.withLock { state in
                guard newValue != state.resumption else { return }
                state.resumption = newValue
                state.partials = newValue.map { PartialBodies($0) }
            }
        }
    }

    /// Watches and steers the downloads; held weakly.
    open weak var delegate: (any ImageDownloaderDelegate)? {
        get { state.withLock { $0.delegate }.object as? any ImageDownloaderDelegate }
        set {
            let reference = WeakReference(newValue)
            state.withLock { $0.delegate = reference }
        }
    }

    /// Answers authentication challenges; the downloader itself unless set; held weakly.
    ///
    /// A responder is asked about the servers' certificates, too. That costs a second handshake with
    /// each host, and again when its certificate changes.
    open weak var authenticationChallengeResponder: (any AuthenticationChallengeResponsible)? {
        get {
            state.withLock { $0.responder }.object as? any AuthenticationChallengeResponsible
        }
        set {
            let reference = WeakReference(newValue)
            let owner = Self.lastTrustOwner.wrappingAdd(1, ordering: .relaxed).newValue
            state.withLock { state in
                state.responder = reference
                state.trustOwner = owner
            }
        }
    }

    /// Downloads and processes an image: the one method that a subclass needs to override.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: Modifier, redirect handler, processor, priority and queues are used; caches
    ///     are not.
    ///   - completionHandler: Called exactly once, on the options' callback queue.
    /// - Returns: The handle to cancel with.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        start(url, options: options, progress: nil, completionHandler: completionHandler)
    }

    /// Downloads and processes an image, reporting its progress on the main queue.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let options = KingfisherParsedOptionsInfo(options)
        guard let progressBlock, !isOverridden else {
            return downloadImage(
                with: url,
                options: options,
                completionHandler: completionHandler
            )
        }
        let progress = ProgressReporter(progressBlock)
        return start(
            url,
            options: options,
            progress: { progress.report($0, $1) },
            completionHandler: completionHandler
        )
    }

    /// Downloads and processes an image.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        downloadImage(
            with: url,
            options: KingfisherParsedOptionsInfo(options),
            completionHandler: completionHandler
        )
    }

    /// Where interrupted bodies are.
    var partials: PartialBodies? { state.withLock { $0.partials } }

    func snapshot() -> State {
        state.withLock { $0 }
    }
}

extension ImageDownloader: ImageDownloaderDelegate, AuthenticationChallengeResponsible {}
