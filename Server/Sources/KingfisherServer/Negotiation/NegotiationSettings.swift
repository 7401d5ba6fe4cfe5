/// The part of the configuration that decides which format a client gets.
struct NegotiationSettings: Sendable, Hashable {
    /// `AUTO_AVIF`, `AUTO_WEBP`, `AUTO_JXL`: sent to clients that accept them if the URL names no
    /// format.
    var automatic: Set<OutputFormat> = []
    /// `ENFORCE_AVIF`, `ENFORCE_WEBP`, `ENFORCE_JXL`: sent to clients that accept them even if the
    /// URL names another format.
    var enforced: Set<OutputFormat> = []
    /// `PREFERRED_FORMATS`: the formats to choose from if the URL names none; empty for the
    /// source's own, and JPEG, PNG or GIF in place of one that cannot be written.
    var preferred: [OutputFormat] = []
    /// `SKIP_PROCESSING_FORMATS`.
    var skipProcessing: Set<OutputFormat> = []
    /// Whether `ALWAYS_RASTERIZE_SVG` is off.
    var passesDrawings = false
    /// `ENABLE_CLIENT_HINTS`.
    var usesClientHints = false
    /// `REQUEST_HEADERS_PASSTHROUGH` and `COOKIE_PASSTHROUGH`: names of fields of clients that
    /// sources get.
    var passedHeaders: [String] = []
    /// Part of the keys of results, because caches outlive a change of the configuration.
    var variant = ""
    /// The formats with an encoder; nil for those whose library is installed.
    var writable: Set<OutputFormat>? = Set(OutputFormat.allCases).subtracting([.jxl])

    /// The defaults: no negotiation.
    init() {}

    /// Whether the format has an encoder.
    ///
    /// The libraries of AVIF and JPEG XL are loaded for the answer: ask only for a format that a
    /// request may get.
    func canWrite(_ format: OutputFormat) -> Bool {
        writable?.contains(format) ?? format.isWritable
    }

    /// The formats that results may have without being named by a URL.
    var wanted: Set<OutputFormat> { automatic.union(enforced).union(preferred) }
}

extension OutputFormat {
    /// Whether the format has an alpha channel.
    var holdsTransparency: Bool { self != .jpeg }

    /// Whether the library can write animations in this format.
    var holdsAnimation: Bool { isAnimated }
}
