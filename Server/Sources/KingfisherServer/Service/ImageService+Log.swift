import HTTPTypes
import Hummingbird
import Logging

extension ImageService {
    /// Reports the failure of a request, if there is one and a server for it.
    func report(_ request: Request, _ identifier: String, _ record: RequestRecord) {
        guard let reporter, let error = record.error else { return }
        reporter.add(
            .init(
                error: error,
                request: identifier,
                method: request.method.rawValue,
                path: LogPath.shown(request.head.path ?? "/"),
                source: record.source?.shown
            )
        )
    }

    /// Logs a request.
    func log(
        _ request: Request,
        _ status: Int,
        _ identifier: String,
        _ time: Duration,
        _ record: RequestRecord
    ) {
        let level: Logger.Level = status >= 500 ? .error : status >= 400 ? .warning : .info
        guard logger.logLevel <= level else { return }
        var fields: Logger.Metadata = [
            "id": "\(identifier)", "status": .stringConvertible(status),
            "method": "\(request.method.rawValue)",
            "path": "\(LogPath.shown(request.head.path ?? "/"))",
            "ms": .stringConvertible(RequestRecord.roundedMilliseconds(time)),
        ]
        if let client = record.client { fields["client"] = "\(client)" }
        if let layer = record.layer { fields["layer"] = "\(layer)" }
        if let source = record.source { fields["source"] = "\(source.shown)" }
        if let error = record.error {
            fields["error"] = "\(error.message)"
            if let detail = error.detail { fields["detail"] = "\(detail)" }
        }
        logger.log(level: level, "request", metadata: fields)
    }
}
