import Foundation
import HTTPTypes
import Hummingbird
import Tracing

/// Makes the spans of requests when they are answered: one for the request, and one for each part of
/// the work on it.
///
/// The parts follow one another, so that their lengths give their places.
struct RequestSpans: Sendable {
    private struct Fields: Extractor {
        func extract(key: String, from fields: HTTPFields) -> String? {
            HTTPField.Name(key).flatMap { fields[$0] }
        }
    }

    private let tracer: any Tracer

    /// Uses a tracer, or the one of the program; nil if there is none.
    init?(_ own: (any Tracer)?) {
        tracer = own ?? InstrumentationSystem.tracer
        if tracer is NoOpTracer { return nil }
    }

    /// Makes the spans of a request that was answered now.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - status: The status of the response.
    ///   - identifier: The identifier in the log.
    ///   - time: The time for the answer.
    ///   - record: The facts.
    func add(
        _ request: Request,
        _ status: Int,
        _ identifier: String,
        _ time: Duration,
        _ record: RequestRecord
    ) {
        let end = DefaultTracerClock.now.nanosecondsSinceEpoch
        var context = ServiceContext.topLevel
        tracer.extract(request.headers, into: &context, using: Fields())
        func instant(_ before: Int64) -> DefaultTracerClock.Timestamp {
            .init(nanosecondsSinceEpoch: end - min(end, UInt64(max(0, before))))
        }
        let method = request.method.rawValue
        let span = tracer.startSpan(
            method,
            context: context,
            ofKind: .server,
            at: instant(time.nanoseconds)
        )
        if span.isRecording {
            span.attributes = attributes(request, status, identifier, record)
            if status >= 500 {
                span.setStatus(.init(code: .error, message: record.error?.message))
            }
            var left = ServiceMetrics.Stage.allCases.compactMap { record.times[$0]?.nanoseconds }
                .reduce(0, +)
            for stage in ServiceMetrics.Stage.allCases {
                guard let length = record.times[stage]?.nanoseconds else { continue }
                let part = tracer.startSpan(
                    stage.rawValue,
                    context: span.context,
                    ofKind: .internal,
                    at: instant(left)
                )
                left -= length
                part.end(at: instant(left))
            }
        }
        span.end(at: instant(0))
    }

    private func attributes(
        _ request: Request,
        _ status: Int,
        _ identifier: String,
        _ record: RequestRecord
    ) -> SpanAttributes {
        var attributes: SpanAttributes = [:]
        attributes.set("http.request.method", value: .string(request.method.rawValue))
        attributes.set("http.response.status_code", value: .int64(Int64(status)))
        attributes.set("url.path", value: .string(LogPath.shown(request.head.path ?? "/")))
        attributes.set("kf.request.id", value: .string(identifier))
        if let client = record.client { attributes.set("client.address", value: .string(client)) }
        if let layer = record.layer { attributes.set("kf.cache.layer", value: .string(layer)) }
        if let source = record.source {
            attributes.set("kf.source", value: .string(source.shown))
        }
        if let error = record.error {
            attributes.set("error.type", value: .string("\(error.status)"))
        }
        return attributes
    }
}
