/// A request with the client's headers applied.
struct NegotiatedRequest: Sendable, Hashable {
    /// The treatment of a source.
    enum Outcome: Sendable, Hashable {
        /// Process it and encode it in this format.
        case encode(OutputFormat)
        /// Pass it on as it is.
        case passThrough
    }

    /// The request, with the size that client hints ask for.
    var request: ImageRequest
    /// The names of the request headers that affect the result, for `Vary`.
    var vary: [String] = []
    /// Formats that the client accepts and the configuration enforces, best first.
    var enforced: [OutputFormat] = []
    /// Formats that the client accepts and the URL leaves open, best first.
    var automatic: [OutputFormat] = []
    /// What becomes of a source that is an SVG file; hints of clients do not decide about it.
    var drawing = DrawingTreatment.drawn
    private let settings: NegotiationSettings

    /// Makes a request without negotiated formats.
    init(request: ImageRequest, settings: NegotiationSettings) {
        self.request = request
        self.settings = settings
    }

    /// A text that is equal for requests with the same result, for the keys of caches.
    var canonicalKey: String {
        let formats = [("enforced", enforced), ("automatic", automatic)]
            .filter { !$0.1.isEmpty }
            .map { name, formats in "\(name):" + formats.map(\.rawValue).joined(separator: ",") }
        let variant = settings.variant.isEmpty ? [] : ["configuration:\(settings.variant)"]
        let drawing = drawing == .passedOn ? ["drawing"] : []
        return (variant + formats + drawing + [request.canonicalKey]).joined(separator: "/")
    }

    /// The treatment of a source.
    ///
    /// A format that cannot represent the result is chosen only if the URL names it.
    ///
    /// - Parameters:
    ///   - format: The source's format, or nil if it is none that can be written.
    ///   - hasTransparency: Whether the source has pixels that are not opaque.
    ///   - isAnimated: Whether the result keeps more than one frame.
    ///   - size: The size of the result; nil if it is not known.
    /// - Returns: The format to encode, or that the source is the result.
    func outcome(
        for format: OutputFormat?,
        hasTransparency: Bool,
        isAnimated: Bool,
        size: Extent? = nil
    ) -> Outcome {
        if request.options.isRaw { return .passThrough }
        let options = request.options
        let needsTransparency =
            options.background == nil
            && (hasTransparency || options.cornerRadius != nil)
        func chosen(_ size: Extent?) -> OutputFormat {
            let fits = { (candidate: OutputFormat) in
                settings.canWrite(candidate)
                    && (candidate.holdsTransparency || !needsTransparency)
                    && (candidate.holdsAnimation || !isAnimated)
                    && size.map(candidate.holds) ?? true
            }
            return enforced.first(where: fits) ?? options.format
                ?? automatic.first(where: fits) ?? usual(for: format, fits)
        }
        let skipped = options.skipProcessing.union(settings.skipProcessing)
        // A source that is passed on has its own size.
        if let format, skipped.contains(format), format == chosen(nil) { return .passThrough }
        return .encode(chosen(size))
    }

    /// The formats of which the result with the fewest bytes is taken; empty unless the URL wants
    /// that.
    ///
    /// - Parameters: See ``outcome(for:hasTransparency:isAnimated:size:)``.
    /// - Returns: Formats that represent the result, and that the client accepts.
    func candidates(
        for format: OutputFormat?,
        hasTransparency: Bool,
        isAnimated: Bool,
        size: Extent?
    ) -> [OutputFormat] {
        guard request.options.wantsBest, enforced.isEmpty else { return [] }
        let usual: [OutputFormat] =
            isAnimated ? [.gif] : format == .jpeg ? [.jpeg] : [.jpeg, .png]
        let known = settings.preferred.isEmpty ? usual : settings.preferred
        let options = request.options
        let needsTransparency =
            options.background == nil && (hasTransparency || options.cornerRadius != nil)
        let fitting = (automatic + known).filter { candidate in
            settings.canWrite(candidate)
                && (candidate.holdsTransparency || !needsTransparency)
                && (candidate.holdsAnimation || !isAnimated)
                && size.map(candidate.holds) ?? true
        }
        return fitting.enumerated().filter { fitting.firstIndex(of: $1) == $0 }.map(\.element)
    }

    /// The format without negotiation: the source's own, or the first preferred one that fits.
    private func usual(
        for source: OutputFormat?,
        _ fits: (OutputFormat) -> Bool
    ) -> OutputFormat {
        let isOpen = settings.preferred.isEmpty
        if let source, isOpen || settings.preferred.contains(source), fits(source) { return source }
        let candidates = isOpen ? [.jpeg, .png, .gif] : settings.preferred
        return candidates.first(where: fits)
            ?? candidates.first(where: settings.canWrite) ?? .jpeg
    }
}
