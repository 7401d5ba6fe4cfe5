internal import CCurl
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
/// transport. Transfers that are still running when the transport is released end with
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

        /// Creates the default configuration.
        public init() {}
    }

    private let mailbox = CurlMailbox()
    private let configuration: Configuration
    private let started = Atomic(false)
    private let lastID = Atomic<UInt64>(0)

    /// Creates a transport; no thread or connection is opened before the first transfer.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
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
        startThreadOnce()
        mailbox.post(.start(order))
        return transfer
    }

    /// Counts the transport's transfers.
    package func census() async -> CurlCensus {
        startThreadOnce()
        return await withCheckedContinuation { mailbox.post(.census($0)) }
    }

    private func startThreadOnce() {
        let first = started.compareExchange(
            expected: false,
            desired: true,
            ordering: .relaxed
        ).exchanged
        guard first else { return }
        let thread = Thread { [mailbox, configuration] in
            CurlLoop(mailbox: mailbox, configuration: configuration).run()
        }
        thread.name = "kingfisher-http"
        // Enough for libcurl, OpenSSL and a handler that decodes a little.
        thread.stackSize = 1 << 20
        thread.start()
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
        mailbox.post(.resume(id))
    }

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
