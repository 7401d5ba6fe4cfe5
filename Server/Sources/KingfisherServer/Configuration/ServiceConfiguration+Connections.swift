extension ServiceConfiguration {
    /// Where the service listens, and how long it waits for clients.
    public struct Connections: Sendable {
        /// The address to listen at.
        public var address = ListenAddress.host("0.0.0.0", port: 8080)
        /// The most open connections; others wait in the kernel's queue.
        public var maximalClients = 2048
        /// The limit for answering a request, in the queue and while working: 504 after it.
        public var timeout = Duration.seconds(10)
        /// The limit for receiving a request's head and body.
        public var readTimeout = Duration.seconds(10)
        /// The limit during which a client takes no byte of a response.
        public var writeTimeout = Duration.seconds(10)
        /// How long a connection without requests stays open.
        public var keepAliveTimeout = Duration.seconds(10)
        /// The limit for running requests when the service stops; nil for twice ``timeout``.
        public var gracefulStopTimeout: Duration?

        /// The proxies whose `X-Forwarded-For` names the client.
        var trustedProxies = TrustedProxies()

        /// Makes the default settings.
        public init() {}

        static let entries: [ConfigurationEntry] = [
            .init("IMGPROXY_BIND", \.connections.address, .listenAddress, .answers),
            .init(
                "IMGPROXY_MAX_CLIENTS",
                \.connections.maximalClients,
                .integer(1...1_000_000),
                .answers
            ),
            .init("IMGPROXY_TIMEOUT", \.connections.timeout, .seconds, .answers),
            .init("IMGPROXY_READ_REQUEST_TIMEOUT", \.connections.readTimeout, .seconds, .answers),
            .init(
                "IMGPROXY_WRITE_RESPONSE_TIMEOUT",
                \.connections.writeTimeout,
                .seconds,
                .answers
            ),
            .init(
                "IMGPROXY_KEEP_ALIVE_TIMEOUT",
                \.connections.keepAliveTimeout,
                .seconds,
                .answers
            ),
            .init(
                "IMGPROXY_GRACEFUL_STOP_TIMEOUT",
                \.connections.gracefulStopTimeout,
                .seconds,
                .answers
            ),
            .init("KF_TRUSTED_PROXIES", \.connections.trustedProxies, .proxies, .answers),
        ]
    }
}

extension ConfigurationFormat<TrustedProxies> {
    /// A list of proxies.
    fileprivate static let proxies = ConfigurationFormat(
        expected: "a list with commas of: an address, a network such as 10.0.0.0/8, or unix",
        parse: { text in
            ConfigurationFormat<[String]>.list(of: .text).parse(text).flatMap(TrustedProxies.init)
        },
        text: { $0.texts.joined(separator: ",") }
    )
}
