import Tracing

/// The place of a span in a trace, as clients and servers pass it on.
///
/// Source: https://www.w3.org/TR/trace-context/
struct TraceContext: Sendable, Hashable {
    /// 16 bytes that are not all 0.
    var trace: [UInt8]
    /// 8 bytes that are not all 0.
    var span: [UInt8]
    /// Whether the trace is kept.
    var isSampled: Bool
    /// What other systems add, as received; at most 512 bytes.
    var state = ""

    /// The name of its field in a request.
    static let field = "traceparent"
    /// The name of the field of ``state``.
    static let stateField = "tracestate"

    /// Begins a trace.
    ///
    /// - Parameters:
    ///   - share: The share of traces that are kept, 0…1.
    ///   - generator: Makes the identifiers.
    init(share: Double, using generator: inout some RandomNumberGenerator) {
        trace = Self.identifier(16, using: &generator)
        span = Self.identifier(8, using: &generator)
        // The last bytes decide, so that services with one share keep the same traces.
        let place = trace.suffix(7).reduce(0.0) { $0 * 256 + Double($1) } / 72_057_594_037_927_936
        isSampled = place < share
    }

    /// A new span in the same trace.
    func child(using generator: inout some RandomNumberGenerator) -> TraceContext {
        var child = self
        child.span = Self.identifier(8, using: &generator)
        return child
    }

    /// Reads the fields of a request; nil if they are malformed.
    init?(_ text: String, state: String?) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        // Later versions may add parts.
        guard parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff",
            parts[0] != "00" || parts.count == 4,
            !text.utf8.contains(where: { (0x41...0x5A).contains($0) }),
            Hexadecimal.bytes(parts[0]) != nil,
            let trace = Hexadecimal.bytes(parts[1]), trace.count == 16,
            let span = Hexadecimal.bytes(parts[2]), span.count == 8,
            let flags = Hexadecimal.bytes(parts[3]), flags.count == 1,
            trace.contains(where: { $0 != 0 }), span.contains(where: { $0 != 0 })
        else { return nil }
        (self.trace, self.span, isSampled) = (trace, span, flags[0] & 1 == 1)
        if let state, state.utf8.count <= 512, state.isHeaderValue { self.state = state }
    }

    /// The value of ``field``.
    var text: String {
        let (trace, span) = (Hexadecimal.text(of: trace), Hexadecimal.text(of: span))
        return "00-\(trace)-\(span)-\(isSampled ? "01" : "00")"
    }

    private static func identifier(
        _ count: Int,
        using generator: inout some RandomNumberGenerator
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // All zeros are no identifier; they come once in 2⁶⁴ times.
        repeat {
            for index in bytes.indices { bytes[index] = .random(in: 0...255, using: &generator) }
        } while bytes.allSatisfy { $0 == 0 }
        return bytes
    }
}

/// Where a ``TraceContext`` is kept in the context of a task.
enum TraceContextKey: ServiceContextKey {
    typealias Value = TraceContext
}
