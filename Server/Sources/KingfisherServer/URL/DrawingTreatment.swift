/// What becomes of a source that is a drawing, an SVG file.
enum DrawingTreatment: Sendable, Hashable {
    /// It is drawn, and the bitmap is encoded.
    case drawn
    /// It is passed on without scripts and links, or drawn if that is not possible.
    case passedOn
    /// It is passed on without scripts and links, and every other source is refused.
    case required
}

extension ProcessingOptions {
    /// The treatment that the options ask for.
    ///
    /// - Parameter passesDrawings: Whether the configuration lets results be SVG.
    /// - Returns: The treatment.
    /// - Throws: ``ServiceError`` 404 if the options name SVG, and the configuration or another option does not allow it.
    func drawingTreatment(passesDrawings: Bool) throws(ServiceError) -> DrawingTreatment {
        let asked = Self.ofPixels.filter { $0.write(self) != nil }.map(\.name)
        guard wantsDrawing else {
            let isOpen = format == nil && !wantsBest && maximalBytes == nil && asked.isEmpty
            return isOpen && passesDrawings ? .passedOn : .drawn
        }
        guard passesDrawings else {
            throw .refused("results are SVG only with IMGPROXY_ALWAYS_RASTERIZE_SVG=0")
        }
        // A drawing has no pixels: the client gives it a size.
        if let name = asked.first(where: { !Self.ofSize.contains($0) }) {
            throw .refused("the option \(name) has no effect on a result in SVG")
        }
        return .required
    }

    private static let ofPixels =
        URLOption.size + URLOption.geometry + URLOption.colour + URLOption.watermark

    private static let ofSize: Set<String> = [
        "resizing_type", "width", "height", "min-width", "min-height", "zoom", "dpr", "enlarge",
    ]
}
