public import Foundation

extension ServiceConfiguration {
    /// Where traces and metrics are sent by the OpenTelemetry Protocol, and failures by Sentry's.
    public struct Telemetry: Sendable {
        /// Whether traces are sent.
        public var isOn = false
        /// Whether metrics are sent with them.
        public var sendsMetrics = false
        /// The address of the collector, before `/v1/traces`; nil for port 4318 of this machine.
        public var endpoint: URL?
        /// Fields of each request to the collector.
        public var fields: [HeaderField] = []
        /// The name of the service in traces and metrics.
        public var serviceName = "kf-serve"
        /// The share of traces that begin here and are kept, 0…1.
        public var sampledShare = 1.0
        /// The time between two sendings of traces.
        public var interval = Duration.seconds(5)
        /// The time between two sendings of metrics.
        public var metricsInterval = Duration.seconds(60)

        /// The address of a project of Sentry, with its key; nil for none.
        public var sentryAddress: URL?
        /// The environment in reports.
        public var sentryEnvironment = "production"
        /// The release in reports; nil for none.
        public var sentryRelease: String?
        /// Whether failures of sources' servers are reported too.
        public var reportsSources = true

        /// Makes the default settings.
        public init() {}

        static let entries: [ConfigurationEntry] = [
            .init("IMGPROXY_OPEN_TELEMETRY_ENABLE", \.telemetry.isOn, .flag, .answers),
            .init(
                "IMGPROXY_OPEN_TELEMETRY_ENABLE_METRICS",
                \.telemetry.sendsMetrics,
                .flag,
                .answers
            ),
            .init("OTEL_EXPORTER_OTLP_ENDPOINT", \.telemetry.endpoint, .webAddress, .answers),
            .init(
                "OTEL_EXPORTER_OTLP_HEADERS",
                \.telemetry.fields,
                .collectorFields,
                .answers,
                isSecret: true
            ),
            .init("OTEL_SERVICE_NAME", \.telemetry.serviceName, .text, .answers),
            .init("OTEL_TRACES_SAMPLER_ARG", \.telemetry.sampledShare, .number(0...1), .answers),
            .init("OTEL_BSP_SCHEDULE_DELAY", \.telemetry.interval, .milliseconds, .answers),
            .init(
                "OTEL_METRIC_EXPORT_INTERVAL",
                \.telemetry.metricsInterval,
                .milliseconds,
                .answers
            ),
            .init(
                "IMGPROXY_SENTRY_DSN",
                \.telemetry.sentryAddress,
                .webAddress,
                .answers,
                isSecret: true
            ),
            .init(
                "IMGPROXY_SENTRY_ENVIRONMENT",
                \.telemetry.sentryEnvironment,
                .text,
                .answers
            ),
            .init("IMGPROXY_SENTRY_RELEASE", \.telemetry.sentryRelease, .text, .answers),
            .init(
                "IMGPROXY_REPORT_DOWNLOADING_ERRORS",
                \.telemetry.reportsSources,
                .flag,
                .answers
            ),
        ]
    }
}

extension ConfigurationFormat<Duration> {
    /// Milliseconds, at most a day.
    fileprivate static let milliseconds = ConfigurationFormat(
        expected: "a number of milliseconds from 10 to 86400000",
        parse: { text in
            Int(text).flatMap { (10...86_400_000).contains($0) ? .milliseconds($0) : nil }
        },
        text: { "\(Int(($0 / .milliseconds(1)).rounded()))" }
    )
}

extension ConfigurationFormat<[HeaderField]> {
    /// Header fields as `name=value`, separated by commas, with percent-encoded values.
    fileprivate static let collectorFields = ConfigurationFormat(
        expected: "header fields such as authorization=Bearer%20token,other=value",
        parse: { text in
            let parts = text.split(separator: ",")
            let fields = parts.compactMap { part -> HeaderField? in
                let sides = part.split(separator: "=", maxSplits: 1).map(\.trimmed)
                guard sides.count == 2, sides[0].isHeaderName, !sides[0].describesMessage,
                    let value = PercentEncoding.decoded(sides[1]), value.isHeaderValue
                else { return nil }
                return HeaderField(name: sides[0], value: value)
            }
            return fields.count == parts.count ? fields : nil
        },
        text: { fields in
            fields.map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: ",")
        }
    )
}
