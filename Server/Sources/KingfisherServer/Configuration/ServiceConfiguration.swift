/// The configuration of the image service.
///
/// Read it from the environment with ``init(environment:files:)``, or set the properties. The
/// names of the variables are those of imgproxy where the meaning is the same; `KF_` begins the
/// names of the others.
public struct ServiceConfiguration: Sendable {
    /// Where the service listens, and how long it waits for clients.
    public var connections = Connections()
    /// How URLs are read and signed.
    public var urls = URLs()
    /// Which sources may be loaded.
    public var sources = Sources()
    /// Which stores of objects are read, and with which keys.
    public var stores = Stores()
    /// How images are processed and encoded.
    public var processing = Processing()
    /// How a format is chosen for a client.
    public var negotiation = Negotiation()
    /// The header fields and the fallback of responses.
    public var responses = Responses()
    /// The caches in memory and on disk.
    public var caches = Caches()
    /// Workers, logs, metrics and stopping.
    public var operation = Operation()
    /// Where traces and metrics are sent.
    public var telemetry = Telemetry()

    /// Makes the default configuration, which has no keys: any signature is accepted.
    public init() {}
}
