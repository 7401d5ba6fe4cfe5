/// The headers of a request that negotiation reads.
///
/// Several fields with one name are joined with commas.
struct NegotiationHeaders: Sendable, Hashable {
    var accept: String?
    var width: String?
    var dpr: String?
    var secCHWidth: String?
    var secCHDPR: String?

    /// No headers.
    init() {}
}

/// Chooses the format and size of a result by a client's headers.
enum Negotiation {
    /// Applies the headers of a client to a request.
    ///
    /// - Throws: ``ServiceError`` if the URL names a format that cannot be written.
    static func negotiate(
        _ request: ImageRequest,
        headers: NegotiationHeaders,
        settings: NegotiationSettings
    ) throws(ServiceError) -> NegotiatedRequest {
        var result = NegotiatedRequest(request: request, settings: settings)
        // Files and objects do not depend on the client.
        if case .web = request.source { result.vary = settings.passedHeaders }
        guard request.kind == .image, !request.options.isRaw else { return result }
        if let format = request.options.format, !settings.canWrite(format) {
            throw .refused("the format \(format.rawValue) is not built into this service")
        }
        result.drawing = try request.options.drawingTreatment(
            passesDrawings: settings.passesDrawings
        )
        let accept = AcceptHeader(headers.accept)
        let enforced = modern.filter { settings.enforced.contains($0) && settings.canWrite($0) }
        let isFormatOpen = request.options.format == nil
        let automatic = modern.filter { format in
            isFormatOpen && settings.automatic.contains(format) && settings.canWrite(format)
        }
        result.enforced = accept.accepted(of: enforced)
        result.automatic = accept.accepted(of: automatic)
        if !enforced.isEmpty || !automatic.isEmpty { result.vary.append("Accept") }
        if settings.usesClientHints { apply(ClientHints(headers), to: &result) }
        return result
    }

    /// The formats that are sent only to clients that name them; the best one first.
    private static let modern: [OutputFormat] = [.jxl, .avif, .webp]

    private static func apply(_ hints: ClientHints, to result: inout NegotiatedRequest) {
        var options = result.request.options
        if options.dpr == nil {
            result.vary += ["Sec-CH-DPR", "DPR"]
            options.dpr = hints.dpr
        }
        if options.width == 0 {
            result.vary += ["Sec-CH-Width", "Width"]
            // The hint counts pixels of the screen, and `dpr` multiplies the width later.
            let width = hints.width.map { Double($0) / (options.dpr ?? 1) }
            options.width = width.map { max(Int($0.rounded()), 1) } ?? 0
        }
        result.request.options = options
    }
}
