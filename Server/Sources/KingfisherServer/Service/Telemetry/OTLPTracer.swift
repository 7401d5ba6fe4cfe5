import Synchronization
import Tracing

/// A tracer that hands ended spans over for export.
struct OTLPTracer: Tracer {
    /// The share of traces that begin here and are kept, 0…1; others are kept if their beginning is.
    let share: Double
    /// Takes a span that has ended.
    let export: @Sendable (EndedSpan) -> Void

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> OTLPSpan {
        var generator = SystemRandomNumberGenerator()
        var context = context()
        let parent = context[TraceContextKey.self]
        let trace =
            parent?.child(using: &generator) ?? TraceContext(share: share, using: &generator)
        context[TraceContextKey.self] = trace
        let span = EndedSpan(
            trace: trace,
            parent: parent?.span,
            name: operationName,
            kind: kind,
            start: instant().nanosecondsSinceEpoch,
            end: 0
        )
        return OTLPSpan(span, context, export)
    }

    /// Does nothing: the exporter sends spans soon, and at the end of the service.
    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: TraceContext.field, from: carrier) else { return }
        let state = extractor.extract(key: TraceContext.stateField, from: carrier)
        if let trace = TraceContext(text, state: state) { context[TraceContextKey.self] = trace }
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context[TraceContextKey.self] else { return }
        injector.inject(trace.text, forKey: TraceContext.field, into: &carrier)
        if !trace.state.isEmpty {
            injector.inject(trace.state, forKey: TraceContext.stateField, into: &carrier)
        }
    }
}

/// A span that has not ended yet.
final class OTLPSpan: Span {
    let context: ServiceContext
    private let state: Mutex<EndedSpan?>
    private let export: @Sendable (EndedSpan) -> Void

    init(
        _ span: EndedSpan,
        _ context: ServiceContext,
        _ export: @escaping @Sendable (EndedSpan) -> Void
    ) {
        state = Mutex(span.trace.isSampled ? span : nil)
        (self.context, self.export) = (context, export)
    }

    var isRecording: Bool { state.withLock { $0 != nil } }

    var operationName: String {
        get { state.withLock { $0?.name ?? "" } }
        set { state.withLock { $0?.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLock { $0?.attributes ?? [:] } }
        set { state.withLock { $0?.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) {
        let failure = status.code == .error ? status.message ?? "" : nil
        state.withLock { $0?.failure = failure }
    }

    func addEvent(_ event: SpanEvent) {
        // A span is a part of one request, which does not have many.
        state.withLock { span in
            if span?.events.count ?? 0 < 128 { span?.events.append(event) }
        }
    }

    func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes.set("exception.message", value: .string("\(error)"))
        attributes.set("exception.type", value: .string("\(type(of: error))"))
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    func addLink(_ link: SpanLink) {
        guard let trace = link.context[TraceContextKey.self] else { return }
        state.withLock { span in
            if span?.links.count ?? 0 < 128 { span?.links.append(trace) }
        }
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = state.withLock { span in
            defer { span = nil }
            return span
        }
        guard var ended else { return }
        ended.end = instant().nanosecondsSinceEpoch
        export(ended)
    }
}
