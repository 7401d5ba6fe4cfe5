public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

// `@unchecked`: the class is open and its delegates are weak references; its state is guarded by a
// mutex.
/// Downloads images over HTTP and HTTPS; callers of the same request share one transfer.
///
/// ```swift
/// let downloader = ImageDownloader(name: "photos")
/// downloader.downloadTimeout = 30
/// let loaded = try await downloader.downloadImage(with: url)
/// ```
open class ImageDownloader: @unchecked Sendable {
    /// The shared downloader, named "default".
    public static let `default` = ImageDownloader(name: "default")

    struct State {
        var timeout: TimeInterval = 15
        var trustedHosts: Set<String>?
        /// Nil until a program asks for it: Foundation's needs `/proc`, which some chroots and
        /// build sandboxes lack, and ends the program without it.
        var configuration: URLSessionConfiguration?
        var usesPipelining = false
        var transferSettings = TransferSettings()
        var resumption: DownloadResumption? = DownloadResumption()
        var partials: PartialBodies? = PartialBodies(DownloadResumption())
        var delegate = WeakReference()
        var responder = WeakReference()
        /// A different number for every responder.
        var trustOwner: UInt64 = 0
        var isNetworkConstrained: (@Sendable () -> Bool)?
        var networkMeter = NetworkMeter.system
    }

    private static let lastTrustOwner = Atomic<UInt64>(0)

    private let state = Mutex(State())
    private let name: String
    let downloads: SharedDownloads<SessionDataTask>
    private let routes: RoutedTransport
    let processing: ImageMaker

    /// Makes a downloader.
    ///
    /// It uses libcurl, or ``defaultTransport`` while that is set.
    ///
    /// - Parameter name: A name for logs; traps if empty.
    public init(name: String) {
        (self.name, processing) = (Self.checked(name), ImageMaker())
        routes = RoutedTransport(CurlTransport(), yieldsToProcess: true)
        downloads = SharedDownloads(transport: routes) { SessionDataTask($0) }
        authenticationChallengeResponder = self
    }

    /// Makes a downloader with a custom transport.
    ///
    /// - Parameters:
    ///   - name: A name for logs; traps if empty.
    ///   - transport: Sends the requests.
    public init(name: String, transport: any HTTPTransport) {
        (self.name, processing) = (Self.checked(name), ImageMaker())
        routes = RoutedTransport(transport, yieldsToProcess: false)
        downloads = SharedDownloads(transport: routes) { SessionDataTask($0) }
        authenticationChallengeResponder = self
    }

    /// Makes a downloader with its own processing limits.
    init(name: String, processing: ImageMaker) {
        (self.name, self.processing) = (Self.checked(name), processing)
        routes = RoutedTransport(CurlTransport(), yieldsToProcess: true)
        downloads = SharedDownloads(transport: routes) { SessionDataTask($0) }
        authenticationChallengeResponder = self
    }

    private static func checked(_ name: String) -> String {
        precondition(!name.isEmpty, "a downloader needs a name")
        return name
    }

    /// The maximum inactivity of the server in seconds before a download fails; 15 by default.
    open var downloadTimeout: TimeInterval {
        get { state.withLock { $0.timeout } }
        set { state.withLock { $0.timeout = newValue } }
    }

    /// Hosts whose TLS certificates are accepted without verification; nil for none.
    open var trustedHosts: Set<String>? {
        get { state.withLock { $0.trustedHosts } }
        set { state.withLock { $0.trustedHosts = newValue } }
    }

    /// The session configuration; libcurl supports the properties listed here.
    ///
    /// | property | effect |
    /// |---|---|
    /// | `httpAdditionalHeaders` | added to requests that lack them |
    /// | `httpMaximumConnectionsPerHost` | as with `URLSession` |
    /// | `timeoutIntervalForResource` | the limit for a whole download, unless it is the default of
    /// seven days |
    /// | `protocolClasses` | may handle requests, in order of precedence; see ``defaultTransport``
    /// for another way to stub the network |
    /// | `timeoutIntervalForRequest` | none, as in Kingfisher for Apple platforms:
    /// ``downloadTimeout`` applies |
    /// | cookies, proxies, credentials, URL caches, cellular and service types | none; a value
    /// other than the default is logged once. Use the `Cookie` header, environment variables such
    /// as `https_proxy`, ``authenticationChallengeResponder`` and the image cache instead |
    ///
    /// Setting it cancels the running downloads.
    open var sessionConfiguration: URLSessionConfiguration {
        get {
            state.withLock { state in
                let configuration = state.configuration ?? .ephemeral
                state.configuration = configuration
                return configuration
            }
        }
        set {
            state.change { $0.configuration = newValue }
            let classes = newValue.protocolClasses ?? []
            routes.protocolClasses = classes.compactMap { $0 as? URLProtocol.Type }
            newValue.logIgnoredProperties()
            cancelAll()
        }
    }

    /// Has no effect; exists for compatibility.
    ///
    /// libcurl multiplexes if the server supports it, and never pipelines.
    open var requestsUsePipelining: Bool {
        get { state.withLock { $0.usesPipelining } }
        set { state.withLock { $0.usesPipelining = newValue } }
    }

    /// Whether loads of equal bytes from different URLs share one decode and one image; true by
    /// default.
    ///
    /// Signed URLs, mirrors and shards provide the same bytes under many URLs. A load that needs
    /// the same size and the same processors of this library gets the image of an earlier load if
    /// a cache or a view still retains it. See <doc:Caching#Equal-bytes>.
    public var sharesEqualImages: Bool {
        get { processing.sharesEqualBytes }
        set { processing.sharesEqualBytes = newValue }
    }

    /// Limits and rules of every transfer: body size, redirects, addresses, schemes.
    ///
    /// ``trustedHosts`` and the additional headers of ``sessionConfiguration`` are added to these.
    /// Other properties override these only if they were changed from their defaults: the priority
    /// of a load's options, and from ``sessionConfiguration`` the limit for the whole transfer and
    /// the connections per host. ``downloadTimeout`` applies unless a time-out was changed here; the
    /// time-out that a request modifier sets overrides both.
    public var transferSettings: TransferSettings {
        get { state.withLock { $0.transferSettings } }
        set { state.withLock { $0.transferSettings = newValue } }
    }

    /// Returns whether the network is metered now; called for loads with a low-data source.
    ///
    /// Nil by default. GIO's `GNetworkMonitor` is then used in a program that has attached
    /// `KingfisherGTK`, as its first view does. Without it no network counts as metered, because
    /// Linux has no common interface for this: query NetworkManager or provide a setting. Called on
    /// any thread, once for each download; it must return without blocking.
    public var isNetworkConstrained: (@Sendable () -> Bool)? {
        get { state.withLock { $0.isNetworkConstrained } }
        set { state.change { $0.isNetworkConstrained = newValue } }
    }

    /// Used while ``isNetworkConstrained`` is nil.
    var networkMeter: NetworkMeter {
        get { state.withLock { $0.networkMeter } }
        set { state.withLock { $0.networkMeter = newValue } }
    }

    /// How interrupted downloads are kept, so that the next equal request continues them; nil keeps
    /// none.
    ///
    /// By default they are kept in the user's cache folder, at most 256 MiB for three days.
    /// Delegates and completion handlers receive the complete body with status 200, as without an
    /// interruption.
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

    /// Waits until the interrupted downloads of all downloaders are on disk.
    ///
    /// They are written after their completion handlers are called. A program that ends because a
    /// download failed or was cancelled should wait, so that its next run can continue it.
    public static func flushInterruptedDownloads() async {
        await PartialBodies.flushAll()
    }

    /// Writes what the running downloads have received to disk, so that a later process can continue
    /// them.
    ///
    /// For a program that is about to end by a signal. The downloads go on.
    @_spi(Programs) public func keepRunningDownloads() async {
        downloads.keepReceived()
        await PartialBodies.flushAll()
    }

    /// Observes and controls the downloads; held weakly.
    open weak var delegate: (any ImageDownloaderDelegate)? {
        get { state.withLock { $0.delegate }.object as? any ImageDownloaderDelegate }
        set {
            let reference = WeakReference(newValue)
            state.withLock { $0.delegate = reference }
        }
    }

    /// Responds to authentication challenges; by default the downloader itself.
    ///
    /// Held weakly.
    ///
    /// A custom responder is also asked about servers' certificates. That costs a second handshake
    /// with each host, and another one when its certificate changes.
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

    /// Downloads and processes an image; subclasses need to override only this method.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: The request modifier, redirect handler, processor, priority and queues are
    ///     used; caches are not.
    ///   - completionHandler: Called exactly once, on the options' callback queue.
    /// - Returns: The task to cancel the download with.
    @discardableResult
    open func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        start(url, options: options, progress: nil, completionHandler: completionHandler)
    }

    /// Downloads and processes an image, reporting its progress on the main queue.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: As for
    ///     `downloadImage(with:options:completionHandler:)`.
    ///   - progressBlock: Called on the main queue while a download of known length runs; not
    ///     called in subclasses.
    ///   - completionHandler: Called exactly once, on the options' callback queue.
    /// - Returns: The task to cancel the download with.
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
        return start(
            url,
            options: options,
            progress: ProgressReporter(progressBlock),
            completionHandler: completionHandler
        )
    }

    /// Downloads and processes an image, with a list of options.
    ///
    /// See `downloadImage(with:options:completionHandler:)`.
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

    /// The store of interrupted bodies.
    var partials: PartialBodies? { state.withLock { $0.partials } }

    func snapshot() -> State {
        state.withLock { $0 }
    }
}

extension ImageDownloader: ImageDownloaderDelegate, AuthenticationChallengeResponsible {}
