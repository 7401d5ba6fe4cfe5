import Foundation
import Kingfisher
import Logging
import ServiceLifecycle
import Synchronization

/// Reports failures of the service to a server of Sentry, or of a system with its protocol.
///
/// The same failure of the same source's server is reported once a minute, and at most 100 reports
/// wait: a server that is away must not flood the other one.
///
/// Source: https://develop.sentry.dev/sdk/data-model/envelopes/
final class ErrorReporter: Service {
    /// A failure and its request.
    struct Report: Sendable {
        var error: ServiceError
        var request: String
        var method: String
        var path: String
        /// The text of the source without its query; nil for none.
        var source: String?
        var time = Date()
    }

    /// The parts of an address such as `https://key@host/7`.
    struct Address: Sendable, Hashable {
        let envelopes: String
        let key: String

        /// Reads an address.
        ///
        /// - Throws: ``ConfigurationError`` without a key or a project.
        init(of url: URL) throws(ConfigurationError) {
            guard let key = url.user, let authority = url.authority, let scheme = url.scheme,
                let project = url.path.split(separator: "/").last
            else {
                throw ConfigurationError(
                    name: "IMGPROXY_SENTRY_DSN",
                    expected: "an address such as https://key@host/7",
                    found: nil
                )
            }
            let prefix = url.path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
            self.key = key
            envelopes = "\(scheme)://\(authority)\(prefix)/api/\(project)/envelope/"
        }
    }

    private static let maximalQueue = 100
    private static let maximalKinds = 1000

    private let settings: ServiceConfiguration.Telemetry
    private let address: Address
    private let receiver: TelemetryReceiver
    private let queue = Mutex<[Report]>([])
    private let reported = Mutex<[String: ContinuousClock.Instant]>([:])
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Makes a reporter; nil if the configuration names no server.
    ///
    /// - Throws: ``ConfigurationError`` for an address without a key or a project.
    init?(
        _ configuration: ServiceConfiguration,
        _ transport: any HTTPTransport,
        _ logger: Logger
    ) throws(ConfigurationError) {
        guard let url = configuration.telemetry.sentryAddress else { return nil }
        address = try Address(of: url)
        settings = configuration.telemetry
        receiver = TelemetryReceiver("the server for reports of failures", transport, logger)
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Reports a failure, unless it is of a source and those are left out, or was reported recently.
    func add(_ report: Report) {
        let error = report.error
        guard error.status >= 500, settings.reportsSources || !error.isOfSource else { return }
        let host = report.source.flatMap { URL(string: $0)?.host } ?? ""
        let kind = "\(error.status) \(error.message) \(host)"
        let now = ContinuousClock.now
        let isNew = reported.withLock { reported in
            if let last = reported[kind], now - last < .seconds(60) { return false }
            if reported.count >= Self.maximalKinds {
                reported = reported.filter { now - $1 < .seconds(60) }
            }
            guard reported.count < Self.maximalKinds else { return false }
            reported[kind] = now
            return true
        }
        guard isNew else { return }
        let isTaken = queue.withLock { queue in
            guard queue.count < Self.maximalQueue else { return false }
            queue.append(report)
            return true
        }
        if isTaken { wake.yield() }
    }

    /// Sends reports until the service stops, and those that are left then.
    func run() async throws {
        for await _ in wakes.cancelOnGracefulShutdown() { await flush() }
        await flush()
    }

    /// Sends all reports.
    func flush() async {
        while let report = queue.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            await send(report)
        }
    }

    private func send(_ report: Report) async {
        let identifier = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let body = envelope(report, Hexadecimal.text(of: identifier))
        let key = address.key
        let fields = [
            HeaderField(name: "Content-Type", value: "application/x-sentry-envelope"),
            HeaderField(
                name: "X-Sentry-Auth",
                value: "Sentry sentry_version=7, sentry_client=kf-serve/1, sentry_key=\(key)"
            ),
        ]
        // Reports that are not taken are lost.
        _ = await receiver.send(body, to: address.envelopes, fields)
    }

    private func envelope(_ report: Report, _ identifier: String) -> Data {
        let time = LogTime.text(report.time.timeIntervalSince1970)
        let error = report.error
        let exception = [
            "type": "\(error.status)",
            "value": [error.message, error.detail ?? ""].joined(separator: " ").trimmed,
        ]
        var tags = ["status": "\(error.status)", "request": report.request]
        tags["source"] = report.source
        var event: [String: Any] = [
            "event_id": identifier, "timestamp": time, "platform": "other", "level": "error",
            "logger": "kf-serve", "environment": settings.sentryEnvironment,
            "exception": ["values": [exception]], "tags": tags,
            "request": ["method": report.method, "url": report.path],
            // Details name addresses and times, which must not make a failure of their own.
            "fingerprint": ["\(error.status)", error.message],
        ]
        event["release"] = settings.sentryRelease
        let parts: [[String: Any]] = [
            ["event_id": identifier, "sent_at": LogTime.text(Date().timeIntervalSince1970)],
            ["type": "event"], event,
        ]
        let lines = parts.compactMap {
            try? JSONSerialization.data(withJSONObject: $0, options: .sortedKeys)
        }
        return lines.reduce(Data()) { $0 + $1 + Data("\n".utf8) }
    }
}

extension ServiceError {
    /// Whether the server of the source is the reason.
    fileprivate var isOfSource: Bool { sourceStatus != nil || status == 502 || status == 504 }
}
