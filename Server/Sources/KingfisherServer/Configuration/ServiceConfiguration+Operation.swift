import Foundation
public import Logging

extension ServiceConfiguration {
    /// The caches in memory and on disk.
    public struct Caches: Sendable {
        /// The largest total size of results in memory, in bytes; 0 keeps none.
        public var memorySize = 256 << 20
        /// The folder of results; nil keeps none on disk.
        public var path: String?
        /// The largest total size of results on disk, in bytes.
        public var diskSize = 10 << 30
        /// How long results are used before the source is asked again.
        public var lifetime = Duration.seconds(86_400)
        /// The largest total size of sources in memory, in bytes, for other sizes of them.
        public var sourceSize = 64 << 20
        /// The largest total size of sources on disk, in bytes; 0 keeps none there.
        public var sourceDiskSize = 2 << 30
        /// The address of the cache that many services share: `redis://host:port`; nil for none.
        public var redisURL: String?
        /// The store where results stay for other machines: `s3://bucket/prefix`; nil for none.
        public var resultStore: String?
        /// The longest wait for a result in ``resultStore``.
        public var resultStoreTimeout = Duration.milliseconds(500)

        /// Makes the default settings.
        public init() {}

        static let entries: [ConfigurationEntry] = [
            .init("KF_MEMORY_CACHE_SIZE", \.caches.memorySize, .bytes, .answers),
            .init("KF_CACHE_PATH", \.caches.path, .absolutePath, .answers),
            .init("KF_CACHE_SIZE", \.caches.diskSize, .bytes, .answers),
            .init("KF_CACHE_LIFETIME", \.caches.lifetime, .lifetime, .answers),
            .init("KF_SOURCE_CACHE_SIZE", \.caches.sourceSize, .bytes, .answers),
            .init("KF_SOURCE_DISK_SIZE", \.caches.sourceDiskSize, .bytes, .answers),
            .init("KF_REDIS_URL", \.caches.redisURL, .text, .answers, isSecret: true),
            .init("KF_RESULT_STORE", \.caches.resultStore, .resultStore, .answers),
            .init("KF_RESULT_STORE_TIMEOUT", \.caches.resultStoreTimeout, .seconds, .answers),
        ]
    }

    /// The form of logs.
    public enum LogFormat: String, Sendable, CaseIterable {
        /// Lines for people.
        case pretty
        /// `name=value` pairs.
        case structured
        /// An object in JSON on each line.
        case json
    }

    /// Workers, logs, metrics and stopping.
    public struct Operation: Sendable {
        /// How many images are processed at the same time.
        public var workers = 2 * ProcessInfo.processInfo.activeProcessorCount
        /// How many requests may wait for a worker; others get 429.
        ///
        /// 0, which is “unlimited” for imgproxy, means the default here: a queue without a bound
        /// only turns too much load into time-outs.
        public var queueSize = 256
        /// The largest total size of sources in memory that requests hold while they load them or
        /// wait for a worker, in bytes; further requests wait before they load theirs.
        ///
        /// Until its size is known, each source counts as 8 MiB. That is the most that one has in
        /// memory: larger ones are in unnamed files.
        public var loadedSourceSize = 256 << 20
        /// Whether files are decoded in processes of their own.
        public var isolates = true
        /// The token that `DELETE` must have in `Authorization: Bearer`; nil refuses it.
        public var adminToken: String?
        /// The token that files for processing must have in `Authorization: Bearer`; nil refuses them.
        public var uploadToken: String?
        /// Whether the page for trying the service is shown at `/`.
        public var showsPlayground = false
        /// The address of the metrics; nil for the main one, unless there is ``adminAddress``.
        public var metricsAddress: ListenAddress?
        /// An address for health and metrics alone, which clients do not reach; nil for none.
        public var adminAddress: ListenAddress?
        /// The beginning of the metrics' names; empty for none.
        public var metricsNamespace = ""
        /// The level of the log.
        public var logLevel = Logger.Level.info
        /// The form of the log.
        public var logFormat = LogFormat.pretty
        /// A second path that answers like `/health`.
        public var healthPath: String?
        /// The text of `/health` while the service is ready.
        public var healthMessage = "ok"

        /// Whether the metrics stand at the address of the images.
        var hasPublicMetrics: Bool { metricsAddress == nil && adminAddress == nil }

        /// Makes the default settings.
        public init() {}

        static let entries: [ConfigurationEntry] = [
            .init("IMGPROXY_WORKERS", \.operation.workers, .integer(1...1024), .answers),
            .init("IMGPROXY_REQUESTS_QUEUE_SIZE", \.operation.queueSize, .queueSize, .answers),
            .init("KF_LOADED_SOURCE_SIZE", \.operation.loadedSourceSize, .bytes, .answers),
            .init("IMGPROXY_PROMETHEUS_BIND", \.operation.metricsAddress, .listenAddress, .answers),
            .init("KF_ADMIN_BIND", \.operation.adminAddress, .listenAddress, .answers),
            .init(
                "IMGPROXY_PROMETHEUS_NAMESPACE",
                \.operation.metricsNamespace,
                .metricsNamespace,
                .answers
            ),
            .init("IMGPROXY_LOG_LEVEL", \.operation.logLevel, .logLevel, .answers),
            .init("IMGPROXY_LOG_FORMAT", \.operation.logFormat, .word, .answers),
            .init("IMGPROXY_HEALTH_CHECK_PATH", \.operation.healthPath, .absolutePath, .answers),
            .init("IMGPROXY_HEALTH_CHECK_MESSAGE", \.operation.healthMessage, .text, .answers),
            .init("KF_ISOLATE", \.operation.isolates, .flag, .answers),
            .init("KF_ADMIN_TOKEN", \.operation.adminToken, .token, .answers, isSecret: true),
            .init("KF_UPLOAD_TOKEN", \.operation.uploadToken, .token, .answers, isSecret: true),
            .init("KF_PLAYGROUND", \.operation.showsPlayground, .flag, .answers),
        ]
    }
}

extension ConfigurationFormat<Int> {
    /// A length of the queue; 0 for the default.
    fileprivate static let queueSize = ConfigurationFormat(
        expected: integer(0...1_000_000).expected,
        parse: { text in
            integer(0...1_000_000).parse(text).map {
                $0 == 0 ? ServiceConfiguration.Operation().queueSize : $0
            }
        },
        text: { "\($0)" }
    )
}

extension ConfigurationFormat<String> {
    /// The beginning of a metric's name.
    fileprivate static let metricsNamespace = ConfigurationFormat(
        expected: "letters, digits and underscores that begin with a letter, or nothing",
        parse: { text in
            let isName = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            return isName && text.first?.isLetter ?? true ? text : nil
        },
        text: { $0 }
    )
}
