internal import CKFCurl
internal import CKFCurlShim
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// An HTTP transport based on libcurl's multi interface.
///
/// It reuses connections, supports HTTP/2 over TLS, and takes proxies and certificates from the
/// environment: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`, `CURL_CA_BUNDLE`,
/// `SSL_CERT_FILE` and `SSL_CERT_DIR`.
///
/// One thread per transport runs all transfers; it starts with the first transfer and ends with the
/// transport. Another one decodes bodies that have a content coding, while there are any. If the
/// system refuses a thread, transfers that need it fail with ``TransferError/noThread(reason:url:)``
/// until it grants one. Transfers that are still running when the transport is released end with
/// ``TransferError/cancelled``.
///
/// ```swift
/// let downloader = ImageDownloader(name: "photos", transport: CurlTransport())
/// ```
public final class CurlTransport: HTTPTransport {
    /// Settings for all transfers of a transport.
    public struct Configuration: Sendable {
        /// The maximum number of simultaneous transfers to all hosts; others wait in order of
        /// priority.
        public var maxConnections = 64
        /// The number of idle connections to keep for later requests.
        public var maxIdleConnections = 32
        /// A file of trusted certificates (PEM) that replaces the system's.
        public var certificateFile: String?
        /// The `User-Agent` of requests that set none; some servers refuse requests without it.
        public var userAgent = "Kingfisher-Linux"

        /// The file of the servers that offer HTTP/3; see ``TransferSettings/allowsHTTP3``.
        ///
        /// libcurl writes it after such a transfer. Defaults to a file in the user's cache folder.
        public var alternativesFile: String?

        /// Whether servers that offer another address are reached there; nil if libcurl supports
        /// HTTP/3, for which alone it is worthwhile.
        var followsAlternatives: Bool?

        /// How long the machine has slept since it started.
        var timeAsleep: @Sendable () -> Duration = { SystemTime.asleep }

        /// Creates the default configuration.
        public init() {}
    }

    private let mailbox = CurlMailbox()
    private let configuration: Configuration
    private let threads: ThreadStarter
    private let isRunning = Mutex(false)
    private let lastID = Atomic<UInt64>(0)

    /// Creates a transport; no thread or connection is opened before the first transfer.
    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration: configuration, threads: .system)
    }

    init(configuration: Configuration, threads: ThreadStarter) {
        self.configuration = configuration
        self.threads = threads
    }

    deinit {
        mailbox.end()
    }

    /// Starts a transfer; see ``HTTPTransport/start(_:settings:handler:)``.
    public func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let transfer = CurlTransfer(id: id, mailbox: mailbox)
        let order = CurlOrder(
            transfer: transfer,
            request: request,
            settings: settings,
            handler: handler,
            time: .now
        )
        mailbox.post(.start(order))
        runLoop()
        return transfer
    }

    /// Counts the transport's transfers.
    package func census() async -> CurlCensus {
        await withCheckedContinuation { continuation in
            mailbox.post(.census(continuation))
            runLoop()
        }
    }

    /// Starts the thread unless it runs.
    ///
    /// Called after a command was posted. If the system refuses the thread, the posted transfers
    /// fail, and the next one tries again: none is posted without an attempt to start after it.
    private func runLoop() {
        let refused = isRunning.withLock { isRunning -> (ThreadRefused, [CurlCommand])? in
            guard !isRunning else { return nil }
            do throws(ThreadRefused) {
                // Enough for libcurl, OpenSSL and a handler that decodes a little.
                try threads("kingfisher-http", stackBytes: 1 << 20) {
                    [mailbox, configuration, threads] in
                    CurlLoop(mailbox: mailbox, configuration: configuration, threads: threads)
                        .run()
                }
                isRunning = true
                return nil
            } catch {
                // Under the lock, so that no command of a loop that starts meanwhile is taken.
                return (error, mailbox.take().commands)
            }
        }
        if let refused { fail(refused.1, refused.0) }
    }

    /// Ends transfers that were not started, on this thread because there is no other.
    private func fail(_ commands: [CurlCommand], _ refusal: ThreadRefused) {
        for command in commands {
            switch command {
            case .start(let order):
                let error: TransferError =
                    order.transfer.isCancelled
                    ? .cancelled : .noThread(reason: "\(refusal)", url: order.request.url)
                order.handler.transfer(order.transfer, didFinish: error, metrics: .init())
            case .census(let continuation):
                continuation.resume(returning: CurlCensus(running: 0, queued: 0, alive: 0))
            case .cancel, .resume, .prioritise, .answer: break
            }
        }
    }
}

/// Settings for all handles of a transport, from the configuration and the environment.
///
/// libcurl reads the proxy variables itself. The variables for certificates are a feature of the
/// curl program, not of the library, so they are read here.
struct CurlEnvironment {
    let certificateFile: String?
    let certificateFolder: String?
    let userAgent: String
    let alternatives: CurlAlternatives
    let followsAlternatives: Bool
    let approvals = CurlApprovals()

    init(
        _ configuration: CurlTransport.Configuration,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) {
        func variable(_ name: String) -> String? {
            variables[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        certificateFile =
            configuration.certificateFile ?? variable("CURL_CA_BUNDLE")
            ?? variable("SSL_CERT_FILE")
        certificateFolder = variable("SSL_CERT_DIR")
        userAgent = configuration.userAgent
        alternatives = CurlAlternatives(
            file: configuration.alternativesFile
                ?? CachesFolder.url.appendingPathComponent("com.onevcat.Kingfisher.AltSvc").path
        )
        let features = Int(curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0)
        followsAlternatives =
            configuration.followsAlternatives
            ?? (features & (kf_curl_feature_http3 | kf_curl_feature_altsvc)
                == kf_curl_feature_http3 | kf_curl_feature_altsvc)
    }
}

/// The caller's side of a transfer; its calls are posted to the loop.
final class CurlTransfer: HTTPTransfer {
    let id: UInt64
    private let mailbox: CurlMailbox
    private let cancelled = Atomic(false)
    private let paused = Atomic(false)

    init(id: UInt64, mailbox: CurlMailbox) {
        self.id = id
        self.mailbox = mailbox
    }

    /// Read by the loop before each event, so that no event follows ``cancel()``.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        mailbox.post(.cancel(id))
    }

    /// Read by the loop before each chunk, so that a pause takes effect before pending commands.
    var isPaused: Bool { paused.load(ordering: .acquiring) }

    func pause() { paused.store(true, ordering: .releasing) }

    func resume() {
        guard paused.exchange(false, ordering: .acquiringAndReleasing) else { return }
        wake()
    }

    /// Makes the loop continue the transfer, if it is not paused.
    func wake() { mailbox.post(.resume(id)) }

    func setPriority(_ priority: Float) { mailbox.post(.prioritise(id, priority)) }

    func post(_ answer: CurlAnswer, to question: Int) {
        mailbox.post(.answer(id, question: question, answer))
    }
}

/// The number of transfers in each state, for tests.
package struct CurlCensus: Sendable, Equatable {
    /// Transfers with a libcurl handle.
    package var running: Int
    /// Transfers waiting for a connection.
    package var queued: Int
    /// All transfers that have not ended.
    package var alive: Int
}
