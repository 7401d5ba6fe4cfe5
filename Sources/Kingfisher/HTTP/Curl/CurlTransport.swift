internal import CCurl
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// HTTP over libcurl's multi interface: connection reuse, HTTP/2 over TLS, proxies and
/// certificates from the environment.
///
/// One thread per transport runs all transfers; it starts with the first one and ends with the
/// transport. Transfers that still run when the transport is released end with
/// ``TransferError/cancelled``.
///
/// The environment counts as on any Linux machine: `http_proxy`, `https_proxy`, `all_proxy`,
/// `no_proxy`; `CURL_CA_BUNDLE`, `SSL_CERT_FILE`, `SSL_CERT_DIR`.
public final class CurlTransport: HTTPTransport {
    /// What holds for all transfers of one transport.
    public struct Configuration: Sendable {
        /// Transfers at the same time, all hosts together; further ones wait in order of priority.
        public var maxConnections = 64
        /// Open connections that are kept for the next request.
        public var maxIdleConnections = 32
        /// A file of trusted certificates (PEM) to use instead of the system's.
        public var certificateFile: String?
        /// Sent as `User-Agent` unless the request says otherwise; some servers refuse without.
        public var userAgent = "Kingfisher-Linux"

        /// Creates the default configuration.
        public init() {}
    }

    private let mailbox = CurlMailbox()
    private let configuration: Configuration
    private let started = Atomic(false)
    private let lastID = Atomic<UInt64>(0)

    /// Creates a transport; nothing is opened before the first transfer.
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

    /// Counts what the transport holds at the moment.
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
